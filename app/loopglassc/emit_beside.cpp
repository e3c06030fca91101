#include "app/loopglassc/emit_beside.h"

#include "app/common/worker.h"
#include "core/codegen/innermost_code.h"
#include "core/loop/symbols.h"

#include <fmt/ranges.h>
#include <algorithm>
#include <map>
#include <ranges>

namespace loopglass::app {

namespace {

// Of all that a person would want to see named: a loop around everything belongs to nothing.
constexpr std::size_t most_operators = 3;

double part_of(std::int64_t samples, const HotCode& hot) {
  return hot.profile.all > 0 ? static_cast<double>(samples) / static_cast<double>(hot.profile.all)
                             : 0;
}

}  // namespace

std::vector<InstructionShare> shares_by_instruction(const Emitted& assembly, const HotCode& hot) {
  std::map<std::string_view, InstructionShare> shares;
  for (std::size_t line = 0; line < assembly.lines.size(); ++line) {
    const std::string_view word = codegen::instruction_of(assembly.lines[line].text);
    if (word.empty()) continue;
    InstructionShare& share = shares[word];
    share.word = word;
    ++share.lines;
    share.samples += hot.profile.samples[line];
  }
  std::vector<InstructionShare> sorted;
  for (auto& [word, share] : shares)
    if (share.samples > 0) sorted.push_back(std::move(share));
  std::ranges::stable_sort(sorted, std::greater(), &InstructionShare::samples);
  return sorted;
}

Result<HotCode> profile_of(Session& session, fusion::GroupId group) {
  const auto kernel = TRY(session.kernel(group));
  if (kernel->is_view)
    return fail(Code::UsageInvalid, "the kernel is not run: its results lie ready", "--hot",
                "what takes no time has nothing hot");
  const auto listings = TRY(session.listings(group));
  const Machine& machine = session.toolchain().machine;
  measure::WorkerPool workers(own_worker());
  measure::ProfileAsked asked{*kernel, *listings, machine};
  asked.symbols = loop::symbol_values(kernel->initial, kernel->program.extents);
  HotCode hot{TRY(measure::profile_code(asked, workers)), {}, {}};
  const codegen::SourceLines& assembly = listings->assembly();
  hot.regions = measure::hot_regions(assembly, hot.profile);
  hot.nest_samples.resize(listings->loops().lines.size() + 1);
  for (std::size_t line = 0; line < assembly.size(); ++line)
    hot.nest_samples[static_cast<std::size_t>(assembly[line].loop_line)] +=
        hot.profile.samples[line];
  return hot;
}

Beside::Beside(const Emitted& shown, const graph::Graph& graph, const HotCode* hot)
    : shown_(shown), graph_(graph), hot_(hot) {
  if (!shown.nest) return;
  by_nest_line_.resize(shown.nest->lines.size() + 1);
  for (std::size_t line = 1; line < by_nest_line_.size(); ++line) {
    Origin origin = shown.nest->lines[line - 1].origin;
    if (origin.sources.empty()) origin = shown.nest->origin_of(static_cast<int>(line));
    for (const std::uint32_t source : origin.sources)
      if (const graph::NodeId id{source}; graph.find(id)) by_nest_line_[line].insert(id);
  }
}

const std::set<graph::NodeId>& Beside::operators_of(std::size_t line) const {
  static const std::set<graph::NodeId> none;
  const auto nest_line = static_cast<std::size_t>(shown_.lines[line].loop_line);
  return nest_line < by_nest_line_.size() ? by_nest_line_[nest_line] : none;
}

std::string Beside::names_of(std::size_t line) const {
  const std::set<graph::NodeId>& operators = operators_of(line);
  if (operators.size() > most_operators) return fmt::format("{} operators", operators.size());
  return fmt::format("{}", fmt::join(operators | std::views::transform([&](graph::NodeId id) {
                                       return graph_.node(id).name;
                                     }),
                                     " + "));
}

std::optional<double> Beside::share_of(std::size_t line) const {
  if (!hot_) return std::nullopt;
  const auto nest_line = static_cast<std::size_t>(shown_.lines[line].loop_line);
  if (shown_.is_nest) return part_of(hot_->nest_samples[nest_line], *hot_);
  return part_of(hot_->profile.samples[line], *hot_);
}

std::vector<std::pair<std::string, double>> Beside::shares_by_operator() const {
  std::map<std::string, double> shares;
  for (std::size_t line = 0; line < shown_.lines.size(); ++line)
    shares[names_of(line)] += share_of(line).value_or(0);
  std::erase_if(shares, [](const auto& entry) { return entry.second == 0; });
  std::vector<std::pair<std::string, double>> sorted(shares.begin(), shares.end());
  std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, double>::second);
  return sorted;
}

}  // namespace loopglass::app
