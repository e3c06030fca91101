#include "app/common/arguments.h"

#include <CLI/CLI.hpp>

namespace loopglass::app {

Check one_of(std::vector<std::string> words) {
  const CLI::Validator member = CLI::IsMember(std::move(words));
  return {[member](const std::string& text) { return member(text); }, member.get_description()};
}

// --- options ---

Option Option::required() const {
  option_->required();
  return *this;
}

Option Option::check(const Check& check) const {
  option_->check(CLI::Validator(
      [problem = check.problem](std::string& text) { return problem(text); }, check.words));
  return *this;
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

Option Option::delimiter(char between) const {
  option_->delimiter(between);
  return *this;
}

Option Option::in_bytes() const {
  const auto not_negative = [](std::string& text) {
    return text.starts_with('-') ? "'" + text + "' is less than nothing" : std::string();
  };
  option_->transform(CLI::AsSizeValue(false));
  option_->transform(CLI::Validator(not_negative, ""));  // goes before
  return *this;
}

// --- commands ---

Command Command::add_subcommand(const std::string& name, const std::string& doc) const {
  return Command(*command_->add_subcommand(name, doc));
}

Command Command::add_option_group(const std::string& name, const std::string& doc) const {
  return Command(*command_->add_option_group(name, doc));
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

}  // namespace loopglass::app
