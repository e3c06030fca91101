#include "core/script/sampling.h"

#include "core/loop/path.h"

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

Result<Candidates> of_prefix(const Replayer&, const Instruction& line) {
  Candidates counts;
  for (std::size_t count = 1; count <= TRY(handles_at(line, 0)).size(); ++count)
    counts.emplace_back(static_cast<std::int64_t>(count));
  return counts;
}

ScriptArgument prefix(const Instruction& line, const ScriptArgument& count) {
  const auto& loops = std::get<std::vector<Handle>>(line.arguments[0]);
  return std::vector<Handle>(loops.begin(), loops.begin() + std::get<std::int64_t>(count));
}

bool same(const ScriptArgument& a, const ScriptArgument& b) { return to_script(a) == to_script(b); }

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
       of_prefix,
       prefix},
  };
  return table;
}

std::string to_script(const ScriptArgument& argument) {
  const std::string line = to_script(Instruction{{}, "", {argument}});
  return line.substr(1, line.size() - 2);
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
  for (const ScriptArgument& candidate : decision.candidates)
    decision.values.push_back(sampling->value ? sampling->value(instruction, candidate)
                                              : candidate);
  if (decision.candidates.empty()) return refused(instruction, "there is nothing to choose from");
  if (instruction.arguments.size() < given) return decision;
  const auto chosen =
      std::ranges::find_if(decision.candidates, [&](const ScriptArgument& candidate) {
        return same(candidate, instruction.arguments.back());
      });
  if (chosen == decision.candidates.end())
    return refused(instruction,
                   fmt::format("{} is none of its {} candidates",
                               to_script(instruction.arguments.back()), decision.candidates.size()),
                   fmt::format("the first is {}", to_script(decision.candidates.front())));
  decision.chosen = static_cast<std::size_t>(chosen - decision.candidates.begin());
  return decision;
}

namespace {

// Goes through a trace, telling of each decision, and of each other line with what was decided in
// the places where it is used.
Result<Replayer> settle(const loop::Func& func, const Trace& trace,
                        const std::function<void(std::size_t, Decision)>& decided,
                        const std::function<void(Instruction)>& written) {
  Replayer replayer(func);
  Settling settling;
  for (std::size_t i = 0; i < trace.instructions.size(); ++i) {
    Instruction line = settling(trace.instructions[i]);
    if (find_sampling(line.primitive)) {
      Decision decision = TRY(decision_of(replayer, line));
      TRY(replayer.run(line));
      settling.bind(decision.name, decision.values[decision.chosen]);
      decided(i, std::move(decision));
      continue;
    }
    for (const std::string& result : line.results) settling.forget(result);
    TRY(replayer.run(line));
    line.line = 0;
    written(std::move(line));
  }
  return replayer;
}

}  // namespace

Result<std::vector<Decision>> decisions_of(const loop::Func& func, const Trace& trace) {
  std::vector<Decision> decisions;
  const auto take = [&](std::size_t at, Decision decision) {
    decision.instruction = at;
    decisions.push_back(std::move(decision));
  };
  TRY(settle(func, trace, take, [](const Instruction&) {}));
  return decisions;
}

Instruction decided(Instruction instruction, ScriptArgument decision) {
  const Sampling* sampling = find_sampling(instruction.primitive);
  const std::size_t place = sampling ? sampling->parameters.size() - 1 : 0;
  instruction.arguments.resize(std::min(place, instruction.arguments.size()));
  instruction.arguments.push_back(std::move(decision));
  return instruction;
}

Result<Scheduled> settled(const loop::Func& func, const Trace& trace) {
  Trace plain;
  const Replayer end = TRY(settle(
      func, trace, [](std::size_t, const Decision&) {},
      [&](Instruction line) { plain.instructions.push_back(std::move(line)); }));
  return Scheduled{std::move(plain), end.func()};
}

}  // namespace loopglass::schedule
