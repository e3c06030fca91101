// Completion for zsh, by its own _arguments.
#include "app/loopglassc/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopglass::app {

namespace {

// In single quotes, where each of these characters is also something to _arguments.
std::string escaped(const std::string& text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string doc_of(const std::string& doc) { return escaped(doc, "[]:\\"); }

// What is done for a value: ":PLACE:(input last)", with its message.
std::string action(const CompletedOption& option) {
  std::vector<std::string> words;
  for (const std::string& word : option.words) words.push_back(escaped(word, ":()\\ "));
  const std::string list = fmt::format("{}", fmt::join(words, " "));
  const std::string message = escaped(option.value, ":[]\\");
  if (option.is_list && !words.empty())
    return fmt::format(":{}:_sequence compadd - {}", message, list);
  if (option.takes_files && !words.empty())
    return fmt::format(":{0}:_alternative \"names\\:{0}\\:({1})\" \"files\\:file\\:_files\"",
                       message, list);
  if (option.takes_files) return fmt::format(":{}:_files", message);
  return fmt::format(":{}:{}", message, words.empty() ? "" : "(" + list + ")");
}

std::string option_lines(const std::vector<CompletedOption>& options, const std::string& indent) {
  std::string text;
  for (const CompletedOption& option : options)
    for (const std::string& name : option.names) {
      const bool takes_value = !option.value.empty();
      text += fmt::format("{}'{}{}{}[{}]{}' \\\n", indent, option.is_repeated ? "*" : "", name,
                          !takes_value             ? ""
                          : name.starts_with("--") ? "="
                                                   : "+",
                          doc_of(option.doc), takes_value ? action(option) : "");
    }
  return text;
}

}  // namespace

std::string zsh_completion(const CompletedLine& line) {
  std::string text =
      "#compdef loopglassc\n# Completion of loopglassc for zsh; made by: loopglassc completion "
      "zsh\n"
      "_loopglassc() {\n  local state line\n  local -a commands\n  typeset -A opt_args\n"
      "  commands=(\n";
  for (const CompletedCommand& command : line.commands)
    text += fmt::format("    '{}:{}'\n", command.name, escaped(command.doc, ":\\"));
  text += "  )\n  _arguments -C \\\n" + option_lines(line.options, "    ");
  text +=
      "    '1:command:->command' '*::argument:->arguments'\n  case $state in\n"
      "    command) _describe command commands ;;\n    arguments)\n      case $words[1] in\n";
  for (const CompletedCommand& command : line.commands) {
    text += fmt::format("        {})\n          _arguments -S \\\n", command.name) +
            option_lines(command.options, "            ");
    for (const CompletedOption& argument : command.arguments)
      text +=
          fmt::format("            '{}{}' \\\n", argument.is_repeated ? "*" : "", action(argument));
    text += "            && return ;;\n";
  }
  return text +
         "      esac ;;\n  esac\n}\n"
         "if [ \"$funcstack[1]\" = _loopglassc ]; then _loopglassc \"$@\"; "
         "else compdef _loopglassc loopglassc; fi\n";
}

}  // namespace loopglass::app
