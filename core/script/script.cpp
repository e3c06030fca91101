// The text form of a trace, and its parser.
#include "core/script/replayer.h"
#include "core/script/sampling.h"
#include "core/script/trace.h"
#include "core/support/overloaded.h"
#include "core/support/suggestion.h"
#include "core/support/text_cursor.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace loopglass::schedule {

namespace {

std::string nearest_primitive(std::string_view word) {
  std::vector<std::string> names;
  for (const Primitive& primitive : all_primitives()) names.push_back(primitive.name);
  for (const Sampling& sampling : all_samplings()) names.push_back(sampling.name);
  return did_you_mean(word, names, "loopglassc primitives lists them");
}

std::string text_of(const ScriptArgument& argument) {
  return std::visit(Overloaded{
                        [](const Handle& handle) { return handle.name; },
                        [](const std::vector<Handle>& handles) {
                          std::vector<std::string> names;
                          for (const Handle& handle : handles) names.push_back(handle.name);
                          return fmt::format("[{}]", fmt::join(names, ", "));
                        },
                        [](const std::string& name) { return quote(name); },
                        [](const std::vector<std::string>& names) {
                          std::vector<std::string> quoted;
                          for (const std::string& name : names) quoted.push_back(quote(name));
                          return fmt::format("[{}]", fmt::join(quoted, ", "));
                        },
                        [](std::int64_t value) { return fmt::format("{}", value); },
                        [](const std::vector<std::int64_t>& values) {
                          return fmt::format("[{}]", fmt::join(values, ", "));
                        },
                    },
                    argument);
}

bool starts_integer(char c) { return c == '-' || c == '+' || (c >= '0' && c <= '9'); }

class ScriptParser {
 public:
  explicit ScriptParser(std::string_view text) : cursor_(text) {}

  ScriptBegun parse() {
    ScriptBegun begun;
    while (!cursor_.at_end()) {
      const int line = cursor_.line();
      auto next = instruction();
      if (!next) {
        begun.problem = std::move(next).error();
        begun.problem_line = cursor_.line();
        return begun;
      }
      next->line = line;
      begun.trace.instructions.push_back(*std::move(next));
    }
    return begun;
  }

 private:
  Result<Instruction> instruction() {
    Instruction instruction;
    const std::size_t start = cursor_.position();
    std::vector<std::string> names{TRY(cursor_.identifier())};
    while (cursor_.accept(",")) names.push_back(TRY(cursor_.identifier()));
    if (cursor_.accept("=")) {
      instruction.results = std::move(names);
      names = {TRY(cursor_.identifier())};
    } else if (names.size() > 1) {
      return cursor_.error("expected '=' after the list of results");
    }
    instruction.primitive = names[0];
    if (!known(instruction.primitive)) {
      if (instruction.results.empty()) cursor_.rewind(start);
      auto problem =
          cursor_.error(fmt::format("there is no primitive '{}'", instruction.primitive));
      problem.error().hint = nearest_primitive(instruction.primitive);
      return problem;
    }
    TRY_VOID(cursor_.expect("("));
    while (!cursor_.accept(")")) {
      if (!instruction.arguments.empty() && !cursor_.accept(","))
        return cursor_.not_closed(')', "expected ',' or ')'");
      instruction.arguments.push_back(TRY(argument()));
    }
    return instruction;
  }

  static bool known(const std::string& name) { return is_look_up(name) || find_primitive(name); }

  Result<ScriptArgument> argument() {
    const char next = cursor_.peek();
    if (next == '"') return TRY(cursor_.quoted());
    if (starts_integer(next)) return TRY(cursor_.integer());
    if (next != '[') return Handle{TRY(cursor_.identifier())};
    TRY_VOID(cursor_.expect("["));
    const char first = cursor_.peek();
    if (first == '"') return TRY(list<std::string>([&] { return cursor_.quoted(); }));
    if (starts_integer(first)) return TRY(list<std::int64_t>([&] { return cursor_.integer(); }));
    return TRY(list<Handle>([&]() -> Result<Handle> { return Handle{TRY(cursor_.identifier())}; }));
  }

  template <class T, class Element>
  Result<std::vector<T>> list(const Element& element) {
    std::vector<T> result;
    while (!cursor_.accept("]")) {
      if (!result.empty() && !cursor_.accept(","))
        return cursor_.not_closed(']', "expected ',' or ']'");
      result.push_back(TRY(element()));
    }
    return result;
  }

  TextCursor cursor_;
};

}  // namespace

std::string to_script(const Instruction& instruction) {
  std::vector<std::string> arguments;
  for (const ScriptArgument& argument : instruction.arguments)
    arguments.push_back(text_of(argument));
  const std::string call = fmt::format("{}({})", instruction.primitive, fmt::join(arguments, ", "));
  return instruction.results.empty()
             ? call
             : fmt::format("{} = {}", fmt::join(instruction.results, ", "), call);
}

std::string to_script(const Trace& trace) {
  std::string text;
  for (const Instruction& instruction : trace.instructions) text += to_script(instruction) + "\n";
  return text;
}

ScriptBegun begin_script(std::string_view text) { return ScriptParser(text).parse(); }

Result<Trace> parse_script(std::string_view text) {
  ScriptBegun begun = begin_script(text);
  if (begun.problem) return std::unexpected(*std::move(begun.problem));
  return std::move(begun.trace);
}

}  // namespace loopglass::schedule
