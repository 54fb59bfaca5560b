// SPDX-License-Identifier: BSD-3-Clause
#include "model/netlist/card.hpp"

#include "trill/model/text_problem.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::size_t most_include_depth = 20, most_include_files = 1000;
constexpr std::size_t most_cards = 500'000;

char small_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

// Where the comment at the end of a line begins. A '$' starts one only after a blank, since names may contain it.
std::size_t end_of_statement(std::string_view line) {
  char quote = 0;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (quote) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (c == ';' || (c == '$' && (k == 0 || is_blank(line[k - 1])))) return k;
  }
  return line.size();
}

// Reads the lines of files into cards.
class CardStack {
 public:
  CardStack(const ModelFolder& folder, CardDeck& deck) : folder_(folder), deck_(deck) {}

  void read_netlist(const std::string& file, const std::string& text) {
    const SourceText& source = add_source(file, text);
    const std::size_t end = std::min(text.find('\n'), text.size());
    deck_.title = trimmed(std::string_view(text).substr(0, end));
    read_lines(source, std::min(end + 1, text.size()), "");
  }

 private:
  static std::string trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return std::string(text);
  }

  const SourceText& add_source(const std::string& file, const std::string& text) {
    if (const std::size_t zero = text.find('\0'); zero != std::string::npos)
      throw error_at(file, text, zero, "there is a zero byte here; a netlist is a text");
    return *deck_.sources.emplace_back(std::make_unique<SourceText>(file, text));
  }

  // The lines from an offset on; with a section, only those between '.lib SECTION' and '.endl'.
  void read_lines(const SourceText& source, std::size_t begin, const std::string& section) {
    const std::string& text = source.text();
    Card card;
    bool inside = section.empty(), ended = false;
    const auto finish = [&] {
      if (!card.empty()) ended = !take(std::move(card), section, inside);
      card = Card();
    };
    while (begin < text.size() && !ended) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      std::string_view line = std::string_view(text).substr(begin, end - begin);
      const std::size_t first = std::find_if_not(line.begin(), line.end(), is_blank) - line.begin();
      const bool comment = first < line.size() && line[first] == '*';
      const bool continues = first < line.size() && line[first] == '+';
      if (!comment && !continues) finish();
      if (ended) break;
      if (continues && card.empty())
        throw source.error(begin + first, "this line continues a statement, and there is none before it");
      if (!comment) {
        line = line.substr(0, end_of_statement(line));
        std::size_t skip = first + (continues ? 1 : 0);
        while (skip < line.size() && is_blank(line[skip])) ++skip;
        if (skip < line.size()) card.append(source, begin + skip, line.substr(skip));
      }
      begin = end + 1;
    }
    if (!ended) finish();
    if (!control_.empty()) throw source.error(control_begin_, "this .control block has no end; '.endc' is missing");
  }

  // false: the netlist ends here.
  bool take(Card card, const std::string& section, bool& inside) {
    const std::string& text = card.text();
    const std::string word = text.substr(0, text.find_first_of(" \t"));
    if (!control_.empty()) {
      if (word == ".endc") control_.clear();
      return true;
    }
    if (word == ".control") return begin_control(card);
    if (word == ".endc") throw card.error(0, "'.endc' without a '.control' before it");
    if (word == ".endl") {
      inside = section.empty();
      return true;
    }
    if (word == ".lib" && !section.empty()) {
      const std::vector<std::string> words = words_of(card);
      if (words.size() == 1) {
        inside = lower(words[0]) == section;
        found_section_ = found_section_ || inside;
        return true;
      }
    }
    if (!inside) return true;
    if (word == ".end") return false;
    if (word == ".include" || word == ".inc" || word == ".lib") {
      include(card);
      return true;
    }
    if (deck_.cards.size() >= most_cards)
      throw card.error(0, fmt::format("a netlist may have at most {} statements", most_cards));
    deck_.cards.push_back(std::move(card));
    return true;
  }

  bool begin_control(const Card& card) {
    control_ = card.place();
    control_begin_ = card.begin();
    deck_.notes.push_back(fmt::format("{}: the .control block is left out; trill runs the .tran line", control_));
    return true;
  }

  static std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), small_letter);
    return text;
  }

  // The words after the first, without quotes.
  static std::vector<std::string> words_of(const Card& card) {
    std::vector<std::string> words;
    const std::string& text = card.written();
    std::size_t at = text.find_first_of(" \t");
    while (at < text.size()) {
      if (is_blank(text[at])) {
        ++at;
        continue;
      }
      const bool quoted = text[at] == '"' || text[at] == '\'';
      const std::size_t begin = quoted ? at + 1 : at;
      const std::size_t end = quoted ? text.find(text[at], begin) : text.find_first_of(" \t", begin);
      words.push_back(text.substr(begin, std::min(end, text.size()) - begin));
      at = std::min(end, text.size()) + (quoted ? 1 : 0);
    }
    return words;
  }

  void include(const Card& card) {
    const std::vector<std::string> words = words_of(card);
    if (words.empty()) throw card.error(0, "the name of a file is expected behind this word");
    const std::string name = beside(words[0]);
    const std::string section = words.size() > 1 ? lower(words[1]) : "";
    const std::string key = name + "\n" + section;
    if (std::find(open_.begin(), open_.end(), key) != open_.end())
      throw card.error(
          0, fmt::format("'{}' includes itself{}", words[0], open_.size() > 1 ? " by way of other files" : ""));
    if (open_.size() >= most_include_depth || deck_.sources.size() >= most_include_files)
      throw card.error(0, fmt::format("more than {} files are included inside each other, or more than {} in all",
                                      most_include_depth, most_include_files));
    const std::string shown = (std::filesystem::path(deck_.sources[0]->file()).parent_path() / name).string();
    const SourceText& included = add_source(shown, folder_.read(name, card.source(), card.begin(), most_model_bytes));
    open_.push_back(key);
    const std::string outer = std::exchange(name_, name);
    const bool found_before = std::exchange(found_section_, false);
    read_lines(included, 0, section);
    if (!section.empty() && !found_section_)
      throw card.error(0, fmt::format("there is no section '{}' in '{}'", section, words[0]));
    found_section_ = found_before;
    name_ = outer;
    open_.pop_back();
  }

  // A file is named relative to the file that names it.
  std::string beside(const std::string& name) const {
    const std::filesystem::path folder = std::filesystem::path(name_).parent_path(), path(name);
    return folder.empty() || path.is_absolute() ? name : (folder / path).string();
  }

  const ModelFolder& folder_;
  CardDeck& deck_;
  std::string name_;               // of the included file that is being read, "" for the netlist itself
  std::vector<std::string> open_;  // files that are being read
  std::string control_;            // where an open .control block begins
  std::size_t control_begin_ = 0;
  bool found_section_ = false;
};
}  // namespace

void Card::append(const SourceText& source, std::size_t begin, std::string_view piece) {
  if (!text_.empty()) {
    text_ += ' ';
    written_ += ' ';
  }
  parts_.push_back({text_.size(), begin, &source});
  written_ += piece;
  for (const char c : piece) text_ += is_blank(c) ? ' ' : small_letter(c);
  while (!text_.empty() && text_.back() == ' ') {
    text_.pop_back();
    written_.pop_back();
  }
}

const Card::Part& Card::part_at(std::size_t at) const {
  return *(std::upper_bound(parts_.begin() + 1, parts_.end(), at,
                            [](std::size_t place, const Part& part) { return place < part.at; }) -
           1);
}

std::size_t Card::offset_of(std::size_t at) const {
  const Part& part = part_at(at);
  return part.begin + at - part.at;
}

ModelError Card::error(std::size_t at, std::string_view message) const {
  return part_at(at).source->error(offset_of(at), message);
}

std::string Card::place() const {
  const SourceText& source = *parts_[0].source;
  return fmt::format("{}:{}", source.file(), source.place(parts_[0].begin).line);
}

SourcePiece Card::piece(std::size_t at, std::string text) const {
  return {part_at(at).source, offset_of(at), std::move(text), false, true};
}

CardDeck read_cards(const ModelFolder& folder, const std::string& file, const std::string& text) {
  CardDeck deck;
  CardStack(folder, deck).read_netlist(file, text);
  return deck;
}
}  // namespace trill
