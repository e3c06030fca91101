#include "app/common/help.h"

#include "app/common/option_words.h"
#include "app/common/terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

namespace loopglass::app {

namespace {

constexpr std::size_t widest_name = 26;  // of what stands in one line with its explanation
constexpr const char* usual_group = "Options";

// Words of a text in lines of so many columns.
std::vector<std::string> wrapped(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines{""};
  for (const std::string& word : CLI::detail::split(text, ' ')) {
    if (word.empty()) continue;
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > columns)
      lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

// Paragraphs are set anew; lines that are indented stay.
std::string filled(const std::string& text, std::size_t columns) {
  std::string set, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty())
      for (const std::string& line : wrapped(std::exchange(paragraph, {}), columns))
        set += line + "\n";
  };
  for (const std::string& line : CLI::detail::split(text, '\n')) {
    if (!line.empty() && line.front() != ' ') {
      paragraph += (paragraph.empty() ? "" : " ") + line;
      continue;
    }
    end_paragraph();
    set += line + "\n";
  }
  end_paragraph();
  return set;
}

// A name, and what it means in a column of its own.
std::string entry(const std::string& name, const std::string& meaning, std::size_t columns) {
  constexpr std::size_t indent = 2 + widest_name + 2;
  std::string text = "  " + name;
  bool begins = name.size() > widest_name;
  if (begins) text += "\n";
  for (const std::string& line : wrapped(meaning, columns - std::min(columns / 2, indent))) {
    text += std::string(begins ? indent : indent - text.size(), ' ') + line + "\n";
    begins = true;
  }
  return text;
}

struct Value {
  std::string name, limits;
};

// Of CLI11's name of the type, which its validators' descriptions stand behind.
Value value_of(CLI::Option& option) {
  std::string behind, limits;
  for (int i = 0;; ++i) try {
      const CLI::Validator* validator = option.get_validator(i);
      const std::string description = validator->get_description();
      if (description.empty()) continue;
      behind += ":" + description;
      if (validator->get_name() != offer_name) limits = description;
    } catch (const CLI::OptionNotFound&) {
      break;
    }
  std::string name = option.get_type_name();
  name.resize(name.size() - behind.size());
  if (name == "INT" || name == "UINT") name = "N";
  if (name == "FLOAT") name = "NUMBER";
  // Of a closed set of words, which nothing else describes.
  if (name == "TEXT") {
    const auto words = words_of(option);
    name = words.empty() ? "TEXT" : fmt::format("{}", fmt::join(words, "|"));
  }
  return {name, limits};
}

bool is_repeated(const CLI::Option& option) { return option.get_items_expected_max() > 1; }

std::string name_of(CLI::Option& option) {
  const std::string value = value_of(option).name;
  if (option.get_positional()) return value + (is_repeated(option) ? "..." : "");
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  const std::string text = fmt::format("{}", fmt::join(names, ","));
  return option.get_items_expected_max() == 0 ? text : text + " " + value;
}

std::string names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (CLI::Option* option : options)
    names.push_back(option->get_positional() ? value_of(*option).name : option->get_name());
  return fmt::format("{}", fmt::join(names, ", "));
}

// The explanation, and in brackets what else there is to know.
std::string meaning_of(CLI::Option& option) {
  std::vector<std::string> notes;
  const Value value = value_of(option);
  if (option.get_required() && !option.get_positional()) notes.emplace_back("required");
  if (!value.limits.empty()) notes.push_back(value.limits);
  if (!option.get_default_str().empty()) notes.push_back("default " + option.get_default_str());
  if (is_repeated(option) && !option.get_positional())
    notes.emplace_back(is_list(option) ? "may be repeated, or have commas" : "may be repeated");
  if (!option.get_needs().empty()) notes.push_back("with " + names_of(option.get_needs()));
  if (!option.get_excludes().empty())
    notes.push_back("not with " + names_of(option.get_excludes()));
  const std::string said = fmt::format("{}", fmt::join(notes, "; "));
  return option.get_description() + (said.empty() ? "" : fmt::format(" [{}]", said));
}

std::string options_text(const CLI::App& command, const std::string& group, bool positional,
                         std::size_t columns) {
  std::string text;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional() == positional && (positional || option->get_group() == group)) {
      // Validators, which hold what is to be known, are only given out to be changed.
      auto& shown = const_cast<CLI::Option&>(*option);
      text += entry(name_of(shown), meaning_of(shown), columns);
    }
  return text;
}

std::string usage(const CLI::App& command) {
  std::string text = "Usage: ";
  if (command.get_parent()) text += command.get_parent()->get_name() + " ";
  text += command.get_name() + " [OPTIONS]";
  if (!commands_of(command).empty()) return text + " COMMAND ...\n";
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) {
      const std::string name = name_of(const_cast<CLI::Option&>(*option));
      text += option->get_required() ? " " + name : fmt::format(" [{}]", name);
    }
  return text + "\n";
}

// Options of which only some go together.
std::string alternatives_text(const CLI::App& group, std::size_t columns) {
  const std::string rule = group.get_require_option_min() > 0 ? "one of them" : "at most one";
  const std::string heading =
      group.get_description().empty() ? rule : group.get_description() + "; " + rule;
  std::string text = "\n";
  for (const std::string& line :
       wrapped(fmt::format("{} ({})", group.get_group(), heading), columns))
    text += line + "\n";
  return text + options_text(group, usual_group, false, columns);
}

}  // namespace

std::vector<const CLI::App*> commands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* each) { return !each->get_name().empty(); });
}

std::vector<const CLI::App*> groups_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* each) { return each->get_name().empty(); });
}

std::string value_name(const CLI::Option& option) {
  return value_of(const_cast<CLI::Option&>(option)).name;
}

std::string help_text(const CLI::App& command, std::size_t columns) {
  std::string text;
  for (const std::string& line : wrapped(command.get_description(), columns)) text += line + "\n";
  text += usage(command);
  const auto section = [&](const std::string& title, const std::string& entries) {
    if (!entries.empty()) text += fmt::format("\n{}\n{}", title, entries);
  };
  section("Arguments", options_text(command, "", true, columns));
  section(usual_group, options_text(command, usual_group, false, columns));
  for (const CLI::App* group : groups_of(command)) text += alternatives_text(*group, columns);
  for (const std::string& group : command.get_groups())
    if (group != usual_group) section(group, options_text(command, group, false, columns));
  std::string commands;
  for (const CLI::App* each : commands_of(command))
    commands += entry(each->get_name(), each->get_description(), columns);
  section("Commands", commands);
  std::string footer;
  for (const CLI::App* app = &command; app != nullptr && footer.empty(); app = app->get_parent())
    footer = app->get_footer();
  return text + "\n" + filled(footer, columns);
}

std::string help_text(const CLI::App& command) {
  return help_text(command, std::clamp<std::size_t>(terminal_columns(), 80, 120));
}

void set_help(CLI::App& command) {
  command.formatter(
      std::make_shared<CLI::FormatterLambda>([](const CLI::App* shown, const std::string&,
                                                CLI::AppFormatMode) { return help_text(*shown); }));
}

}  // namespace loopglass::app
