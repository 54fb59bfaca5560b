// SPDX-License-Identifier: BSD-3-Clause
// The command line: turns its words into one call of a verb.
#include "arguments.hpp"
#include "base/text.hpp"
#include "interruption.hpp"
#include "linalg/sparse_cholesky.hpp"
#include "processes.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace trill::cli {
namespace {
std::string version_text() {
  std::string features;
#ifdef TRILL_HAVE_HDF5
  features += " hdf5";
#endif
#ifdef TRILL_HAVE_KLU
  features += " klu";
#endif
#ifdef TRILL_HAVE_SUNDIALS
  features += " sundials";
#endif
  return fmt::format("trill {} (built with:{}; factorises large structures with: {})", TRILL_VERSION,
                     features.empty() ? " nothing optional" : features, factor_engines_text());
}

// Explains in our words what CLI11 found wrong.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* at = &app;
  if (!app.get_subcommands().empty()) at = app.get_subcommands().front();
  const std::string verb = at->get_name(), help = at == &app ? "('trill --help' shows how)"
                                                             : fmt::format("('trill {} --help' shows how)", verb);
  std::string text = error.what();
  if (dynamic_cast<const CLI::RequiredError*>(&error)) {
    if (at == &app) return "there is nothing to do; try 'trill run stiff_spring' ('trill --help' shows more)";
    const std::string name = text.substr(0, text.find(' '));
    if (const CLI::Option* option = at->get_option_no_throw(name))
      return fmt::format("{} needs '{}': {} {}", verb, name, option->get_description(), help);
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const std::vector<std::string> rest = app.remaining(true);
    const auto option =
        std::find_if(rest.begin(), rest.end(), [](const std::string& word) { return word.starts_with('-'); });
    if (option == rest.end()) return fmt::format("{} does not take the word '{}' {}", verb, rest.back(), help);
    std::vector<std::string> known;
    for (const CLI::Option* o : at->get_options())
      for (const std::string& name : o->get_lnames()) known.push_back("--" + name);
    const std::string near = option->size() > 2 ? suggest(*option, known) : "";
    return fmt::format("{} has no option '{}'{} {}", verb, *option, near, help);
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return fmt::format("{} {}", text, help);
}

int guarded(const std::function<int()>& action) {
  try {
    const int code = action();
    flush_output();
    return code;
  } catch (const UsageError& e) {
    dynamic_cast<const ModelError*>(&e) ? complain_with_source(e.what()) : complain(e.what());
    return ExitCode::usage;
  } catch (const ReaderGone&) {
    return ExitCode::reader_gone;
  } catch (const IoError& e) {
    complain(e.what());
    return ExitCode::files;
  } catch (const std::filesystem::filesystem_error& e) {
    complain(fmt::format("cannot use {}: {}", e.path1().string(), e.code().message()));
    return ExitCode::files;
  } catch (const std::bad_alloc&) {
    complain("there is not enough memory; try a smaller model, or record less often");
    return ExitCode::numerical_failure;
  } catch (const std::exception& e) {
    complain(e.what());
    return ExitCode::numerical_failure;
  }
}

// `trill help` is `trill --help`, and `trill help run` is `trill run --help`.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words[0] != "help") return words;
  words.erase(words.begin());
  if (words.size() > 1) throw UsageError("help takes one command, such as 'trill help run'");
  words.push_back("--help");
  return words;
}

int parse_and_act(int argc, char** argv) {
  std::vector<std::string> words = words_of(argc, argv);
  CLI::App app{"trill: solves highly oscillatory differential equations with steps set by the slow motion", "trill"};
  app.set_version_flag("--version", version_text);
  app.require_subcommand(1);
  app.footer(
      "\nExamples:\n"
      "  trill run stiff_spring --report run.html      solve a model, then open run.html in a browser\n"
      "  trill list models                             the models that come with trill\n"
      "  trill list methods                            the methods that can solve them\n"
      "  trill describe stiff_spring                   the equations and parameters of a model\n"
      "  trill inspect stiff_spring                    its frequencies, and which method to use\n"
      "  trill help run                                all options of a run\n"
      "\nTo solve your own equations, write them into a model file (.toml) and run 'trill check FILE',\n"
      "then 'trill run FILE'.\n"
      "\nExit codes: 0 success, 1 the solution failed or a figure is out of tolerance, 2 wrong command line or model,\n"
      "3 a file cannot be read or written, 4 the verdict is red and --strict was given, 130 interrupted (a run with\n"
      "--out can be resumed), 141 the program that reads the output has ended.\n");
  Action action;
  add_run(app, action);
  add_list(app, action);
  add_describe(app, action);
  add_check(app, action);
  add_verify(app, action);
  add_inspect(app, action);
  add_modes(app, action);
  add_reduce(app, action);
  add_compare(app, action);
  add_order(app, action);
  add_stability(app, action);
  add_figure(app, action);
  add_report(app, action);
  add_export(app, action);
  add_cite(app, action);
  if (!words.empty() && !words[0].starts_with('-')) {
    std::vector<std::string> verbs;
    for (const CLI::App* sub : app.get_subcommands({})) verbs.push_back(sub->get_name());
    if (std::find(verbs.begin(), verbs.end(), words[0]) == verbs.end())
      throw UsageError(
          fmt::format("unknown command '{}'{} ('trill --help' shows all)", words[0], suggest(words[0], verbs)));
  }
  if (!words.empty() && words[0].starts_with('-') && !app.get_option_no_throw(words[0]))
    throw UsageError(fmt::format("unknown option '{}'{} ('trill --help' shows how)", words[0],
                                 suggest(words[0], std::vector<std::string>{"--help", "--version"})));
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    print(paragraph(app.help()));
    return ExitCode::ok;
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    throw UsageError(explain(app, e));
  }
  begin_command();
  return action();
}
}  // namespace
}  // namespace trill::cli

int main(int argc, char** argv) {
  trill::cli::hand_over_to_shared(argc, argv);
  trill::cli::open_standard_files();
  trill::cli::listen_to_signals();
  return trill::cli::guarded([&] { return trill::cli::parse_and_act(argc, argv); });
}
