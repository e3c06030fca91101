#include "app/common/arguments.h"

#include "app/common/option_words.h"
#include "core/support/suggestion.h"

#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace loopglass::app {

Check one_of(std::vector<std::string> words) {
  const std::string list = fmt::format("{}", fmt::join(words, ", "));
  const auto problem = [words, list](const std::string& text) -> std::string {
    if (std::ranges::find(words, text) != words.end()) return {};
    const std::string nearest = did_you_mean(text, words, "");
    return fmt::format("'{}' is none of {}{}{}", text, list, nearest.empty() ? "" : "; ", nearest);
  };
  return {problem, "", std::move(words)};
}

namespace {

// What a shell may offer for an option's value is kept with the option, as a validator that finds
// no fault: CLI11 has no other place for it.
class Offer : public CLI::Validator {
 public:
  explicit Offer(std::function<std::vector<std::string>()> words) {
    name_ = std::string(offer_name);
    func_ = [](std::string&) { return std::string(); };
    desc_function_ = [words = std::move(words)] {
      return fmt::format("{}", fmt::join(words(), "\n"));
    };
  }
};

std::vector<std::string> entries_in(const std::string& text, Entries kind) {
  std::vector<std::string> entries;
  for (const std::string& entry : CLI::detail::split(text, ','))
    entries.push_back(CLI::detail::trim_copy(entry));
  const std::string_view mark = kind == Entries::Names ? "" : kind == Entries::Bindings ? "=" : ":";
  const bool all_have_it = std::ranges::all_of(
      entries, [&](const std::string& entry) { return entry.find(mark) != std::string::npos; });
  return all_have_it ? entries : std::vector{text};
}

}  // namespace

// --- options ---

Option Option::required() const {
  option_->required();
  return *this;
}

Option Option::check(const Check& check) const {
  option_->check(CLI::Validator(
      [problem = check.problem](std::string& text) { return problem(text); }, check.words));
  return check.choices.empty() ? *this : suggests([words = check.choices] { return words; });
}

Option Option::type_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

Option Option::capture_default_str() const {
  option_->capture_default_str();
  return *this;
}

Option Option::default_str(const std::string& words) const {
  option_->default_str(words);
  return *this;
}

Option Option::needs(Option other) const {
  option_->needs(other.option_);
  return *this;
}

Option Option::excludes(Option other) const {
  option_->excludes(other.option_);
  return *this;
}

Option Option::expected(int least, int most) const {
  option_->expected(least, most);
  return *this;
}

Option Option::allow_extra_args(bool allow) const {
  option_->allow_extra_args(allow);
  return *this;
}

Option Option::group(const std::string& title) const {
  option_->group(title);
  return *this;
}

Option Option::suggests(std::function<std::vector<std::string>()> words) const {
  option_->check(Offer(std::move(words)));
  return *this;
}

Option Option::in_bytes() const {
  const auto to_bytes = [](std::string& text) -> std::string {
    if (text.starts_with('-')) return "'" + text + "' is less than nothing";
    long double count = 0;  // whole numbers of 63 bits are exact in it
    const char *begin = text.data(), *end = begin + text.size();
    const bool is_number = text.find_first_of("0123456789.") == 0;  // neither inf nor nan
    const auto read = std::from_chars(begin, end, count, std::chars_format::fixed);
    std::string unit(read.ptr, end);
    unit.erase(0, unit.find_first_not_of(' '));
    std::ranges::transform(unit, unit.begin(), [](unsigned char c) { return std::tolower(c); });
    if (unit.ends_with('b')) unit.pop_back();
    constexpr std::string_view units = "kmgtpe";  // each 1024 of the one before
    const auto place = unit.empty() ? 0 : units.find(unit.front());
    const bool is_unit = unit.size() <= 1 || (unit.size() == 2 && unit[1] == 'i');
    if (!is_number || read.ec == std::errc::invalid_argument || place == units.npos || !is_unit)
      return "'" + text + "' is no size: write bytes, or 64KiB, 4MiB, 1.5GB";
    if (!unit.empty()) count = std::ldexp(count, 10 * (static_cast<int>(place) + 1));
    if (read.ec == std::errc::result_out_of_range || count >= 0x1p63L)
      return "'" + text + "' is too much: sizes are less than 8 EiB";
    text = std::to_string(static_cast<std::int64_t>(count));
    return {};
  };
  // The help shows no more of it than BYTES.
  option_->transform(CLI::Validator(to_bytes, ""));
  return *this;
}

// --- commands ---

Command Command::add_subcommand(const std::string& name, const std::string& doc) const {
  return Command(*command_->add_subcommand(name, doc));
}

Command Command::add_option_group(const std::string& name, const std::string& doc) const {
  CLI::App* group = command_->add_option_group(name, doc);
  group->set_help_flag();  // the command has one
  return Command(*group);
}

Command Command::require_option(int least, int most) const {
  command_->require_option(least, most);
  return *this;
}

void Command::footer(const std::string& text) const { command_->footer(text); }

void Command::callback(std::function<void()> parsed) const {
  command_->callback(std::move(parsed));
}

Option Command::add_flag(const std::string& name, bool& value, const std::string& doc) const {
  return Option(command_->add_flag(name, value, doc));
}

Option Command::add_option(const std::string& name, int& value, const std::string& doc) const {
  return Option(command_->add_option(name, value, doc));
}

Option Command::add_option(const std::string& name, std::uint64_t& value,
                           const std::string& doc) const {
  return Option(command_->add_option(name, value, doc));
}

Option Command::add_option(const std::string& name, double& value, const std::string& doc) const {
  return Option(command_->add_option(name, value, doc));
}

Option Command::add_option(const std::string& name, std::string& value,
                           const std::string& doc) const {
  return Option(command_->add_option(name, value, doc));
}

Option Command::add_option(const std::string& name, std::vector<std::string>& value,
                           const std::string& doc) const {
  return Option(command_->add_option(name, value, doc));
}

Option Command::add_option(const std::string& name, std::optional<int>& value,
                           const std::string& doc) const {
  return Option(command_->add_option(name, value, doc));
}

Option Command::add_option(const std::string& name, std::optional<std::uint64_t>& value,
                           const std::string& doc) const {
  return Option(command_->add_option(name, value, doc));
}

Option Command::add_option(const std::string& name, std::optional<double>& value,
                           const std::string& doc) const {
  return Option(command_->add_option(name, value, doc));
}

Option Command::add_option(const std::string& name, std::optional<std::string>& value,
                           const std::string& doc) const {
  return Option(command_->add_option(name, value, doc));
}

Option Command::add_list(const std::string& name, std::vector<std::string>& value,
                         const std::string& doc, Entries entries) const {
  const auto keep = [&value, entries](const std::vector<std::string>& said) {
    value.clear();
    for (const std::string& text : said) {
      const std::vector<std::string> parts = entries_in(text, entries);
      value.insert(value.end(), parts.begin(), parts.end());
    }
  };
  CLI::Option* option = command_->add_option_function<std::vector<std::string>>(name, keep, doc);
  option->check(
      CLI::Validator([](std::string&) { return std::string(); }, "", std::string(list_name)));
  return Option(option).allow_extra_args(false);
}

}  // namespace loopglass::app
