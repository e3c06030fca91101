#include "core/script/sampling.h"

#include "core/loop/path.h"
#include "core/schedule/loop_kinds.h"
#include "core/support/overloaded.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

using Candidates = std::vector<ScriptArgument>;
using Numbers = std::vector<std::int64_t>;

constexpr std::size_t most_candidates = 20'000;

std::unexpected<Diagnostic> refused(const Instruction& line, std::string what,
                                    std::string hint = {}) {
  return fail(Code::ScheduleIllegal, fmt::format("{}: {}", to_script(line), what), line.primitive,
              std::move(hint));
}

std::string words(const ScriptArgument& argument) {
  std::string line = to_script(Instruction{{}, "", {argument}});
  return line.substr(1, line.size() - 2);
}

// The number that stands at this place.
Result<std::int64_t> number_at(const Instruction& line, std::size_t place, std::int64_t least,
                               std::int64_t most) {
  const auto* number =
      place < line.arguments.size() ? std::get_if<std::int64_t>(&line.arguments[place]) : nullptr;
  if (!number || *number < least || *number > most)
    return refused(line,
                   fmt::format("argument {} is a number from {} to {}", place + 1, least, most));
  return *number;
}

Result<std::vector<Handle>> handles_at(const Instruction& line, std::size_t place) {
  const auto* handles = place < line.arguments.size()
                            ? std::get_if<std::vector<Handle>>(&line.arguments[place])
                            : nullptr;
  if (!handles || handles->empty())
    return refused(line, fmt::format("argument {} is a list of loops", place + 1));
  return *handles;
}

template <class T>
Candidates each_of(const std::vector<T>& list) {
  return {list.begin(), list.end()};
}

Result<Candidates> of_list(const Replayer&, const Instruction& line) {
  const ScriptArgument list = line.arguments.empty() ? ScriptArgument{} : line.arguments[0];
  if (const auto* numbers = std::get_if<Numbers>(&list)) return each_of(*numbers);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&list)) return each_of(*texts);
  if (const auto* handles = std::get_if<std::vector<Handle>>(&list)) return each_of(*handles);
  return refused(line, "its first argument is a list of what there is to choose from");
}

// Ascending.
Numbers divisors_of(std::int64_t number) {
  Numbers low, high;
  for (std::int64_t d = 1; d <= number / d; ++d)
    if (number % d == 0) {
      low.push_back(d);
      if (d != number / d) high.push_back(number / d);
    }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

// Ordered factorisations of `extent` into so many parts, the last of them at most `innermost`;
// those whose first part is the largest come first. `divisors`: those of the whole.
void factorise(std::int64_t extent, std::int64_t parts, std::int64_t innermost,
               const Numbers& divisors, Numbers& so_far, std::vector<Numbers>& found) {
  if (found.size() > most_candidates) return;
  if (parts == 1) {
    found.push_back(so_far);
    found.back().insert(found.back().begin(), extent);
    return;
  }
  // `so_far` holds the inner parts: the innermost is chosen first.
  for (const std::int64_t factor : divisors) {
    if (factor > extent || (so_far.empty() && factor > innermost)) break;
    if (extent % factor != 0) continue;
    so_far.insert(so_far.begin(), factor);
    factorise(extent / factor, parts - 1, innermost, divisors, so_far, found);
    so_far.erase(so_far.begin());
  }
}

Result<Candidates> of_tile(const Replayer& before, const Instruction& line) {
  const auto* loop = line.arguments.empty() ? nullptr : std::get_if<Handle>(&line.arguments[0]);
  if (!loop) return refused(line, "its first argument is a loop");
  const Path path = TRY(find_loop(before.func(), TRY(before.name_of(loop->name))));
  const auto extent = expr::as_integer(path.loop().extent);
  if (extent && *extent < 1)
    return refused(line, fmt::format("'{}' has no iterations to part", loop->name));
  if (!extent)
    return refused(line, fmt::format("the extent of '{}' is not a number", loop->name),
                   "split a loop of symbolic extent by a number: sample and split");
  const std::int64_t parts = TRY(number_at(line, 1, 1, 6));
  const std::int64_t innermost = TRY(number_at(line, 2, 1, std::int64_t{1} << 40));
  std::vector<Numbers> found;
  Numbers so_far;
  factorise(*extent, parts, parts == 1 ? *extent : innermost, divisors_of(*extent), so_far, found);
  if (found.size() > most_candidates)
    return refused(line,
                   fmt::format("there are more than {} ways to part {}", most_candidates, *extent));
  return each_of(found);
}

Result<Candidates> of_order(const Replayer&, const Instruction& line) {
  std::vector<Handle> handles = TRY(handles_at(line, 0));
  constexpr std::size_t most = 7;  // 5040 orders
  if (handles.size() > most)
    return refused(line, fmt::format("orders of up to {} loops are gone through", most));
  std::vector<std::size_t> places(handles.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  Candidates orders;
  do {
    std::vector<Handle> order;
    for (const std::size_t place : places) order.push_back(handles[place]);
    orders.emplace_back(std::move(order));
  } while (std::next_permutation(places.begin(), places.end()));
  return orders;
}

Result<Candidates> of_prefix(const Replayer& before, const Instruction& line) {
  if (line.arguments.empty()) return refused(line, "its first argument is a list of loops");
  const Argument loops = TRY(before.resolve(line.arguments[0], ParameterKind::Loops));
  const auto* names = std::get_if<std::vector<std::string>>(&loops);
  if (!names || names->empty()) return refused(line, "its first argument is a list of loops");
  Candidates counts;
  for (std::size_t count = 1; count <= names->size(); ++count)
    counts.emplace_back(static_cast<std::int64_t>(count));
  return counts;
}

bool same(const ScriptArgument& a, const ScriptArgument& b) { return words(a) == words(b); }

Parameter decision_parameter(ParameterKind kind, std::string doc) {
  return {"decision", kind, std::move(doc), {}, true};
}

}  // namespace

const std::vector<Sampling>& all_samplings() {
  static const std::vector<Sampling> table{
      {"sample",
       "Decides for one of a list: numbers, loops, or texts.",
       "at = sample([y, x], x)   compute_at(P, at)",
       "compute_at(P, x)",
       {{"candidates", ParameterKind::Names, "what there is to choose from"},
        decision_parameter(ParameterKind::Name, "one of them; else the first")},
       of_list},
      {"sample_tile",
       "Decides for factors whose product is a loop's extent, for split: outermost first.",
       "t = sample_tile(y, 2, 16, [32, 8])   yo, yi = split(y, t)",
       "yo, yi = split(y, [32, 8])",
       {{"loop", ParameterKind::Loop, "a loop of constant extent"},
        {"parts", ParameterKind::Integer, "how many factors, up to 6"},
        {"innermost", ParameterKind::Integer, "what the last of them is at most"},
        decision_parameter(ParameterKind::Integers, "the factors; else all in the first")},
       of_tile},
      {"sample_order",
       "Decides for an order of loops, for reorder.",
       "order = sample_order([y, x], [x, y])   reorder([order, k])",
       "reorder([x, y, k])",
       {{"loops", ParameterKind::Loops, "up to seven"},
        decision_parameter(ParameterKind::Loops, "them in their order; else as they are")},
       of_order},
      {"sample_prefix",
       "Decides how many of a list of loops, from the first, for fuse.",
       "outer = sample_prefix([n, y, x], 2)   both = fuse(outer)",
       "both = fuse([n, y])",
       {{"loops", ParameterKind::Loops, "outermost first"},
        decision_parameter(ParameterKind::Integer, "how many; else one")},
       of_prefix},
  };
  return table;
}

const Sampling* find_sampling(std::string_view name) {
  const auto& rows = all_samplings();
  const auto row = std::ranges::find(rows, name, &Sampling::name);
  return row == rows.end() ? nullptr : &*row;
}

Result<Decision> decision_of(const Replayer& before, const Instruction& instruction) {
  const Sampling* sampling = find_sampling(instruction.primitive);
  if (!sampling)
    return fail(Code::ScheduleIllegal, fmt::format("{} decides nothing", instruction.primitive));
  if (instruction.results.size() != 1)
    return refused(instruction, "one name is bound to what is decided");
  const std::size_t given = sampling->parameters.size();
  if (instruction.arguments.size() > given)
    return refused(instruction, fmt::format("takes up to {} arguments, got {}", given,
                                            instruction.arguments.size()));
  Decision decision;
  decision.name = instruction.results[0];
  decision.candidates = TRY(sampling->candidates(before, instruction));
  if (decision.candidates.empty()) return refused(instruction, "there is nothing to choose from");
  if (instruction.arguments.size() < given) return decision;
  const auto chosen =
      std::ranges::find_if(decision.candidates, [&](const ScriptArgument& candidate) {
        return same(candidate, instruction.arguments.back());
      });
  if (chosen == decision.candidates.end())
    return refused(instruction,
                   fmt::format("{} is none of its {} candidates",
                               words(instruction.arguments.back()), decision.candidates.size()),
                   fmt::format("the first is {}", words(decision.candidates.front())));
  decision.chosen = static_cast<std::size_t>(chosen - decision.candidates.begin());
  return decision;
}

ScriptArgument value_of(const Instruction& line, const ScriptArgument& candidate) {
  if (line.primitive != "sample_prefix") return candidate;
  const auto count = static_cast<std::ptrdiff_t>(std::get<std::int64_t>(candidate));
  return std::visit(Overloaded{
                        [&](const std::vector<Handle>& loops) -> ScriptArgument {
                          return std::vector<Handle>(loops.begin(), loops.begin() + count);
                        },
                        [&](const std::vector<std::string>& loops) -> ScriptArgument {
                          return std::vector<std::string>(loops.begin(), loops.begin() + count);
                        },
                        [&](const auto& other) -> ScriptArgument { return other; },
                    },
                    line.arguments[0]);
}

Result<std::vector<Decision>> decisions_of(const loop::Func& func, const Trace& trace) {
  Replayer replayer(func);
  std::vector<Decision> decisions;
  for (std::size_t i = 0; i < trace.instructions.size(); ++i) {
    const Instruction& instruction = trace.instructions[i];
    if (find_sampling(instruction.primitive)) {
      decisions.push_back(TRY(decision_of(replayer, instruction)));
      decisions.back().instruction = i;
    }
    TRY(replayer.run(instruction));
  }
  return decisions;
}

Instruction decided(Instruction instruction, ScriptArgument decision) {
  const Sampling* sampling = find_sampling(instruction.primitive);
  const std::size_t place = sampling ? sampling->parameters.size() - 1 : 0;
  instruction.arguments.resize(std::min(place, instruction.arguments.size()));
  instruction.arguments.push_back(std::move(decision));
  return instruction;
}

namespace {

// What sampled handles stand for in lines behind them.
class Settling {
 public:
  void bind(const std::string& handle, ScriptArgument value) {
    values_.insert_or_assign(handle, std::move(value));
  }
  void forget(const std::string& handle) { values_.erase(handle); }

  ScriptArgument operator()(const ScriptArgument& argument) const {
    return std::visit(
        Overloaded{
            [&](const Handle& handle) -> ScriptArgument {
              const auto value = values_.find(handle.name);
              return value == values_.end() ? ScriptArgument(handle) : value->second;
            },
            [&](const std::vector<Handle>& handles) -> ScriptArgument { return flat(handles); },
            [&](const auto& literal) -> ScriptArgument { return literal; },
        },
        argument);
  }

 private:
  std::vector<Handle> flat(const std::vector<Handle>& handles) const {
    std::vector<Handle> all;
    for (const Handle& handle : handles) {
      const auto value = values_.find(handle.name);
      const auto* one = value == values_.end() ? nullptr : std::get_if<Handle>(&value->second);
      const auto* many =
          value == values_.end() ? nullptr : std::get_if<std::vector<Handle>>(&value->second);
      if (many) all.insert(all.end(), many->begin(), many->end());
      else all.push_back(one ? *one : handle);
    }
    return all;
  }

  std::map<std::string, ScriptArgument> values_;
};

}  // namespace

Result<Settled> settled(const loop::Func& func, const Trace& trace) {
  Replayer replayer(func);
  Settling settle;
  Trace plain;
  for (const Instruction& instruction : trace.instructions) {
    Instruction line = instruction;
    for (ScriptArgument& argument : line.arguments) {
      argument = settle(argument);
      if (auto* text = std::get_if<std::string>(&argument)) *text = replayer.filled_in(*text);
    }
    line.line = 0;
    if (find_sampling(instruction.primitive)) {
      const Decision decision = TRY(decision_of(replayer, instruction));
      settle.bind(decision.name, value_of(line, decision.candidates[decision.chosen]));
    } else {
      for (const std::string& result : line.results) settle.forget(result);
      plain.instructions.push_back(std::move(line));
    }
    TRY(replayer.run(instruction));
  }
  return Settled{std::move(plain), replayer.func()};
}

}  // namespace loopglass::schedule
