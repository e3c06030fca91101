// Completion for bash. Which word is completed is read off the line itself: bash parts words at
// '=', ':' and '@' too, which stand inside of ours.
#include "app/loopglassc/completion.h"
#include "core/support/shell_word.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace loopglass::app {

namespace {

constexpr const char* frame =
    R"bash(# Completion of loopglassc for bash; made by: loopglassc completion bash
_loopglassc_offer() {  # the words that may be completed, and whether they may be files
  local command=$1 option=$2 place=$3
  offered= files=
  case "$command $option" in
@values@
  esac
  case "$command $place" in
@arguments@
  esac
}

_loopglassc_options() {
  case "$1" in
@options@
  esac
}

_loopglassc() {
  local commands='@commands@' line=${COMP_LINE:0:COMP_POINT} command= option= place=0
  local current word words offered files before i takes_value=
  read -ra words <<< "$line"
  case $line in *[[:space:]]) words+=('') ;; esac
  current=${words[${#words[@]} - 1]}
  COMPREPLY=()
  for ((i = 1; i < ${#words[@]} - 1; ++i)); do
    word=${words[i]}
    if [ -n "$takes_value" ]; then takes_value= option=; continue; fi
    case $word in
      -*=*) ;;
      -*)
        case " $(_loopglassc_options "$command") " in *" $word= "*) takes_value=1 option=$word ;; esac ;;
      *)
        if [ -z "$command" ]; then command=$word; else ((++place)); fi ;;
    esac
  done
  case $current in --*=*) option=${current%%=*} ;; esac
  if [ -z "$option" ] && [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_loopglassc_options "$command" | tr -d =)" -- "$current")
    return
  fi
  if [ -z "$option" ] && [ -z "$command" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
    return
  fi
  [ -n "$option" ] && place=
  _loopglassc_offer "$command" "$option" "$place"
  before=
  case $current in --*=*) before=${current%%=*}= ;; esac
  case $offered in
    ,*) [[ $current == *,* ]] && before=${current%,*}, ;;
  esac
  word=${current#"$before"}
  mapfile -t COMPREPLY < <(compgen -W "${offered#,}" -P "$before" -- "$word")
  if [ -n "$files" ]; then
    compopt -o filenames 2> /dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -P "$before" -- "$word")
  fi
  # Readline puts what is chosen behind the last character that parts words.
  before=
  for ((i = 0; i < ${#current}; ++i)); do
    case $COMP_WORDBREAKS in *"${current:i:1}"*) before=${current:0:i+1} ;; esac
  done
  for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${COMPREPLY[i]#"$before"}; done
}
complete -F _loopglassc loopglassc
)bash";

// Patterns of `case` by what is offered there: alike for many commands.
class Cases {
 public:
  void add(const std::string& command, const std::string& where, const CompletedOption& option) {
    if (option.words.empty() && !option.takes_files) return;
    const std::string text = fmt::format(
        "offered={} files={}",
        shell_word((option.is_list ? "," : "") + fmt::format("{}", fmt::join(option.words, " "))),
        option.takes_files ? "1" : "");
    patterns_[text].push_back(fmt::format("'{} {}'", command, where));
  }
  std::string text() const {
    std::string text;
    for (const auto& [offer, patterns] : patterns_)
      text += fmt::format("    {}) {} ;;\n", fmt::join(patterns, " | "), offer);
    if (!text.empty()) text.pop_back();
    return text;
  }

 private:
  std::map<std::string, std::vector<std::string>> patterns_;
};

// With = behind those that take a value.
std::string option_names_of(const std::vector<CompletedOption>& options) {
  std::vector<std::string> names;
  for (const CompletedOption& option : options)
    for (const std::string& name : option.names)
      names.push_back(name + (option.value.empty() ? "" : "="));
  return fmt::format("{}", fmt::join(names, " "));
}

void put(std::string& text, const std::string& place, const std::string& what) {
  text.replace(text.find(place), place.size(), what);
}

}  // namespace

std::string bash_completion(const CompletedLine& line) {
  Cases values, arguments;
  std::string options = fmt::format("    '') echo '{}' ;;", option_names_of(line.options));
  std::vector<std::string> commands;
  for (const CompletedOption& option : line.options)
    for (const std::string& name : option.names) values.add("", name, option);
  for (const CompletedCommand& command : line.commands) {
    commands.push_back(command.name);
    options +=
        fmt::format("\n    {}) echo '{}' ;;", command.name, option_names_of(command.options));
    for (const CompletedOption& option : command.options)
      for (const std::string& name : option.names) values.add(command.name, name, option);
    for (std::size_t place = 0; place < command.arguments.size(); ++place)
      arguments.add(command.name, fmt::format("{}", place), command.arguments[place]);
  }
  std::string text = frame;
  put(text, "@values@", values.text());
  put(text, "@arguments@", arguments.text());
  put(text, "@options@", options);
  put(text, "@commands@", fmt::format("{}", fmt::join(commands, " ")));
  return text;
}

}  // namespace loopglass::app
