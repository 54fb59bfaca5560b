// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "base/text.hpp"
#include "words.hpp"

#include <fmt/format.h>

namespace trill::cli {
CLI::Option* word(CLI::App& app, const std::string& name, const std::string& type, const std::string& help,
                  const TakeWord& take) {
  const std::string option = name.substr(name.find("--"));
  return app
      .add_option_function<std::string>(
          name, [option, take](const std::string& text) { take(option, text); }, help)
      ->type_name(type);
}

CLI::Option* number(CLI::App& app, const std::string& name, std::optional<double>& target, const std::string& help) {
  const auto take = [&target](const std::string& option, const std::string& text) {
    target = read_number(option, text);
  };
  return word(app, name, "NUMBER", help, take);
}

CLI::Option* count(CLI::App& app, const std::string& name, std::int64_t least, const std::string& help,
                   const std::function<void(std::int64_t)>& take) {
  const auto take_word = [least, take](const std::string& option, const std::string& text) {
    take(read_count_from(least, option, text));
  };
  return word(app, name, "N", help, take_word);
}

// An empty name is a mistake (an unset variable in a script); it does not mean "no file".
CLI::Option* file_name(CLI::App& app, const std::string& name, std::string& target, const std::string& help) {
  const auto take = [&target](const std::string& option, const std::string& text) {
    if (text.empty()) throw UsageError(fmt::format("{} needs the name of a file", option));
    target = text;
  };
  return word(app, name, "FILE", help, take);
}

CLI::Option* assignments(CLI::App& app, const std::string& name, OptionSet& target, const std::string& help) {
  return app
      .add_option_function<std::vector<std::string>>(
          name,
          [&target, name](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              if (text.find('=') == std::string::npos)
                throw UsageError(
                    fmt::format("{} needs NAME=VALUE, not '{}'; write the model in front of this option", name, text));
              const auto [key, value] = parse_assignment(text);
              target.insert_or_assign(key, value);
            }
          },
          help)
      ->type_name("NAME=VALUE ...");
}
}  // namespace trill::cli
