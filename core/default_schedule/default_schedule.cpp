#include "core/default_schedule/default_schedule.h"

#include "core/default_schedule/near_producers.h"
#include "core/default_schedule/row_chain.h"
#include "core/default_schedule/rules.h"
#include "core/default_schedule/sum_blocks.h"
#include "core/loop/blocks.h"
#include "core/loop/path.h"
#include "core/loop/symbols.h"

#include <algorithm>
#include <functional>
#include <ranges>

namespace loopglass::schedule {

using namespace loop;

namespace {

using Rule = std::function<Result<void>(Draft&)>;

// The first rule whose every line is legal; false where none is, and the nest is right as it
// stands.
bool apply_first(Draft& draft, const std::vector<Rule>& rules) {
  for (const Rule& rule : rules) {
    Draft attempt = draft;
    if (!rule(attempt)) continue;
    draft = std::move(attempt);
    return true;
  }
  return false;
}

Result<void> schedule_tiles(Draft& draft, const BlockAnalysis& block,
                            const std::optional<std::string>& epilogue, const Machine& machine,
                            const TileChooser& chooser, const std::optional<Band>& rows) {
  const auto choice = chooser.choose ? chooser.choose(block) : std::nullopt;
  auto written = schedule_reduction(draft, block, epilogue, machine, choice, rows);
  if (choice && chooser.told) chooser.told(block.name, written);
  return written;
}

// How many vectors at a time a row of so many elements is walked by; nullopt: it is shorter.
std::optional<int> vectors_of(const BlockAnalysis& block, std::int64_t elements, int counted,
                              const Machine& machine, const TileChooser& chooser) {
  const auto most = static_cast<int>(
      std::min<std::int64_t>(elements / machine.lanes(block.widest_bytes), most_vectors));
  if (most < 1) return std::nullopt;
  counted = std::min(counted, most);
  return chooser.vectors && most > 1 ? chooser.vectors(block, counted, most) : counted;
}

// The same of who follows each sum, where that has a row of its own to walk along.
std::optional<int> vectors_of_reader(const Draft& draft, const BlockAnalysis& sum,
                                     const std::optional<std::string>& reader,
                                     const Machine& machine, const TileChooser& chooser) {
  const auto block = reader ? analyse(draft.func(), *reader) : std::nullopt;
  if (!block || block->axes.empty() || block->spatial_points <= sum.spatial_points)
    return std::nullopt;
  return vectors_of(*block, block->axes.back().extent, usual_vectors, machine, chooser);
}

// Spread over lanes, if that is what it wants.
std::optional<RowSum> row_sum(const Draft& draft, const BlockAnalysis& block,
                              const std::optional<std::string>& epilogue, const Machine& machine,
                              const TileChooser& chooser) {
  auto lanes = plan_lanes(block, machine);
  if (!lanes) return std::nullopt;
  const int width = machine.lanes(block.widest_bytes);
  lanes->lanes = width * vectors_of(block, lanes->axis.extent,
                                    static_cast<int>(lanes->lanes / width), machine, chooser)
                             .value_or(1);
  return RowSum{block, *std::move(lanes), epilogue,
                vectors_of_reader(draft, block, epilogue, machine, chooser)};
}

// The sum over the same rows of what the elementwise block computes, if one reads it.
std::optional<RowSum> next_row_sum(const Draft& draft, const BlockAnalysis& rows,
                                   const std::string& elementwise, const Machine& machine,
                                   const TileChooser& chooser) {
  const auto row_extents = [](const BlockAnalysis& block) {
    std::vector<std::int64_t> extents;
    for (std::size_t i = 0; i < block.extents.size(); ++i)
      if (std::ranges::find(block.reductions, i) == block.reductions.end())
        extents.push_back(block.extents[i]);
    return extents;
  };
  const Path writer = *find_block(draft.func(), elementwise);
  for (const Block* reader : readers_of(draft.func().body, only_store(writer.block())->buffer)) {
    if (!has_reduction(*reader) || chooser.left.contains(reader->name)) continue;
    const auto block = analyse(draft.func(), reader->name);
    if (!block || row_extents(*block) != row_extents(rows)) continue;
    auto epilogue = epilogue_of(draft.func(), reader->name);
    if (epilogue && chooser.left.contains(*epilogue)) epilogue.reset();
    return row_sum(draft, *block, epilogue, machine, chooser);
  }
  return std::nullopt;
}

// `rows`: of a chain that the block is part of.
std::vector<Rule> rules_for(const Draft& draft, const std::string& name, const Machine& machine,
                            const TileChooser& chooser, const std::optional<Band>& rows) {
  std::vector<Rule> rules;
  if (const auto block = analyse(draft.func(), name)) {
    if (block->reductions.empty()) {
      rules.push_back([=](Draft& d) { return schedule_transpose(d, *block, machine); });
      const std::int64_t row = block->axes.empty() ? 1 : block->axes.back().extent;
      rules.push_back([=, &chooser](Draft& d) {
        return schedule_elementwise(d, *block, machine,
                                    vectors_of(*block, row, usual_vectors, machine, chooser));
      });
    } else {
      std::vector<std::optional<std::string>> epilogues{std::nullopt};
      if (auto epilogue = epilogue_of(draft.func(), name);
          epilogue && !chooser.left.contains(*epilogue))
        epilogues.insert(epilogues.begin(), std::move(epilogue));
      if (auto sum = row_sum(draft, *block, epilogues.front(), machine, chooser)) {
        const RowSum alone{sum->block, sum->plan};
        std::vector<RowSum> sums{*std::move(sum)};
        while (sums.back().epilogue) {
          auto next = next_row_sum(draft, *block, *sums.back().epilogue, machine, chooser);
          if (!next) break;
          sums.push_back(*std::move(next));
        }
        rules.push_back([=](Draft& d) { return schedule_lanes(d, sums, machine, rows); });
        if (sums.front().epilogue)
          rules.push_back([=](Draft& d) { return schedule_lanes(d, {alone}, machine, rows); });
      }
      if (!chooser.choose && !rows)
        for (const auto& epilogue : epilogues)
          rules.push_back([=](Draft& d) { return stream_rows(d, *block, epilogue, machine); });
      for (const auto& epilogue : epilogues)
        rules.push_back(
            [=](Draft& d) { return schedule_tiles(d, *block, epilogue, machine, chooser, rows); });
    }
  }
  rules.push_back([=](Draft& d) { return schedule_plainly(d, name); });
  return rules;
}

// Whether the rules may change how a parameter is laid out, wherever it is read.
bool may_be_packed(const Buffer& parameter) {
  return parameter.role == loop::Role::Constant && !parameter.packing &&
         std::any_of(parameter.shape.begin(), parameter.shape.end(),
                     [](const Expr& extent) { return expr::as_integer(extent) != 1; });
}

// What a symbol stands for while rules are chosen: a size one might meet, which tiles divide.
constexpr std::int64_t usual_extent = 960;

// The nest as if its symbols were numbers: what rules weigh.
Func with_usual_extents(const Func& func) {
  std::map<std::string, std::int64_t> extents;
  for (const std::string& symbol : func.symbols) extents.emplace(symbol, usual_extent);
  return loop::with_extents(func, extents);
}

class Scheduling {
 public:
  Scheduling(const Func& func, const Machine& machine, const TileChooser& chooser)
      : nests_(func), machine_(machine), chooser_(chooser), apart_(nests_.is_in_order()) {}

  void run() {
    for (const std::string& name : nests_.blocks())
      if (!chooser_.left.contains(name) && is_worth_inlining(nests_, name))
        attempt(around_inlined(name),
                [&](Draft& draft) { return bool(draft.compute_inline(name)); });
    schedule_all_chosen_sums();
    part_all_groups();
    bring_all_together();
    turn_all_operands();
    cut_long_sums();
    find_chains();
    std::vector<std::string> reductions, others;
    for (const std::string& name : nests_.blocks())
      (has_reduction(nests_.block(name)) ? reductions : others).push_back(name);
    // Reductions first: they take their consumers with them.
    tile_all(reductions);
    // Before a border's own loops are cut with a rest, and not each iteration stores.
    skip_all_borders();
    // The last of a chain first: it takes its producers with it.
    for (const std::string& name : std::views::reverse(others)) {
      tile_all({name});
      bring_all_near(name);
    }
    join_chains();
  }

  Scheduled take() && { return {std::move(trace_), nests_.whole()}; }

 private:
  using Positions = NestList::Positions;

  void attempt(const Positions& positions, const std::function<bool(Draft&)>& rule) {
    Trace lines;
    const auto change = [&](const loop::Func& part) -> std::optional<loop::Func> {
      Draft draft = part.symbols.empty() ? Draft(part) : Draft(with_usual_extents(part), part);
      if (!rule(draft)) return std::nullopt;
      loop::Func result = draft.result();
      lines = std::move(draft).take();
      return result;
    };
    NestList::Outcome outcome = nests_.change(positions, change);
    // All names are seen in the whole.
    if (outcome == NestList::Outcome::NameTaken) outcome = nests_.change(all(), change);
    if (outcome == NestList::Outcome::Changed) append(std::move(lines));
  }

  // The last of a chain first: it takes its producers with it.
  void schedule_all_chosen_sums() {
    std::vector<std::string> names = nests_.blocks();
    std::ranges::reverse(names);
    for (const std::string& name : names)
      if (!chooser_.left.contains(name) && !done_.contains(name) &&
          is_chosen_sum(nests_.block(name)))
        attempt(around_chosen_sum(name), [&](Draft& draft) {
          const auto scheduled = schedule_chosen_sums(draft, name, machine_);
          if (scheduled) done_.insert(scheduled->begin(), scheduled->end());
          return scheduled.has_value();
        });
  }

  void part_all_groups() {
    for (const std::string& name : nests_.blocks())
      if (!chooser_.left.contains(name) && has_reduction(nests_.block(name)))
        attempt(around_scheduled(name),
                [&](Draft& draft) { return bool(part_groups(draft, name)); });
  }

  void bring_all_together() {
    for (const std::string& name : nests_.blocks())
      if (!chooser_.left.contains(name) && has_reduction(nests_.block(name)))
        attempt(around_read(name),
                [&](Draft& draft) { return bool(bring_together(draft, name, machine_)); });
  }

  void turn_all_operands() {
    for (const std::string& name : nests_.blocks())
      if (!chooser_.left.contains(name) && !has_reduction(nests_.block(name)))
        attempt(around_read(name),
                [&](Draft& draft) { return bool(turn_operands(draft, name, machine_)); });
  }

  // Each long sum becomes one of partial sums and one that adds them up, which may be long in its
  // turn.
  void cut_long_sums() {
    std::vector<std::string> names;
    for (const std::string& name : nests_.blocks())
      if (!chooser_.left.contains(name) && has_reduction(nests_.block(name))) names.push_back(name);
    while (!names.empty()) {
      const std::string name = std::move(names.back());
      names.pop_back();
      std::optional<std::string> parts;
      attempt(around_scheduled(name), [&](Draft& draft) {
        auto partial_sums = sum_blocks_apart(draft, name, machine_);
        parts = partial_sums ? *std::move(partial_sums) : std::nullopt;
        return parts.has_value();
      });
      if (parts) names.insert(names.end(), {name, *parts});
    }
  }

  // Looked for only where there are two sums at least.
  void find_chains() {
    if (!apart_ || !chooser_.left.empty()) return;
    const std::vector<std::string> names = nests_.blocks();
    if (std::ranges::count_if(
            names, [&](const std::string& name) { return has_reduction(nests_.block(name)); }) < 2)
      return;
    chains_ = row_chains(nests_.whole(), machine_);
    for (const RowChain& chain : chains_) bands_.insert(chain.bands.begin(), chain.bands.end());
  }

  void join_chains() {
    for (const RowChain& chain : chains_) {
      Positions positions;
      for (const std::string& name : chain.blocks)
        if (nests_.has(name)) positions.insert(nests_.position_of(name));
      attempt(positions, [](Draft& draft) { return bool(join_bands(draft)); });
    }
  }

  void tile_all(const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (!chooser_.left.contains(name) && is_alone(name))
        attempt(around_tiled(name), [&](Draft& draft) {
          const auto rows = bands_.find(name);
          return apply_first(
              draft, rules_for(draft, name, machine_, chooser_,
                               rows == bands_.end() ? std::nullopt : std::optional(rows->second)));
        });
  }

  // What makes something that this block alone reads, then what makes something for that.
  void bring_all_near(const std::string& consumer) {
    if (!apart_ || !chooser_.left.empty() || !nests_.has(consumer)) return;
    std::set<std::string> stay;
    while (const auto producer = far_producer(nests_.position_of(consumer), stay)) {
      Positions positions{nests_.position_of(*producer)};
      add(positions, around_read(consumer));
      stay.insert(*producer);
      attempt(positions, [&](Draft& draft) {
        return bool(bring_producer_near(draft, *producer, consumer, machine_));
      });
    }
  }

  // An elementwise block, not yet scheduled, whose large result none but this nest reads.
  std::optional<std::string> far_producer(std::size_t reader,
                                          const std::set<std::string>& stay) const {
    for (const std::string& buffer : nests_.read_in(reader)) {
      if (nests_.parameter(buffer) || nests_.readers_of(buffer) != Positions{reader}) continue;
      const Positions& writers = nests_.writers_of(buffer);
      if (writers.size() != 1 || *writers.begin() == reader) continue;
      const std::vector<const Block*>& blocks = nests_.blocks_in(*writers.begin());
      if (blocks.size() != 1 || has_reduction(*blocks[0]) || stay.contains(blocks[0]->name))
        continue;
      if (is_far(*blocks[0], machine_)) return blocks[0]->name;
    }
    return std::nullopt;
  }

  void skip_all_borders() {
    for (const std::string& name : nests_.blocks())
      if (!chooser_.left.contains(name) && has_reduction(nests_.block(name)))
        attempt(around_read(name),
                [&](Draft& draft) { return bool(skip_border(draft, name, machine_)); });
  }

  // Every draft looks its blocks up; one look-up is enough.
  void append(Trace trace) {
    for (Instruction& line : trace.instructions)
      if (line.primitive != "block" || looked_up_.insert(line.results.front()).second)
        trace_.instructions.push_back(std::move(line));
  }

  // Whether the block has not already been placed in the loops of another.
  bool is_alone(const std::string& name) const {
    if (!nests_.has(name) || done_.contains(name)) return false;
    const Path path = *find_block({{}, {}, {}, nests_.statement(nests_.position_of(name))}, name);
    for (const Stmt& stmt : path.statements)
      if (loop::as<For>(stmt)) return blocks_of(stmt).size() == 1;
    return true;
  }

  Positions all() const {
    Positions positions;
    for (std::size_t p = 0; p < nests_.size(); ++p) positions.insert(positions.end(), p);
    return positions;
  }

  // The block, and those before it whose results are read by none but these.
  Positions around_chosen_sum(const std::string& name) const {
    if (!apart_) return all();
    Positions positions{nests_.position_of(name)};
    std::vector<std::size_t> next{*positions.begin()};
    while (!next.empty()) {
      const std::size_t position = next.back();
      next.pop_back();
      for (const std::string& buffer : nests_.read_in(position))
        for (const std::size_t writer : nests_.writers_of(buffer))
          if (!nests_.parameter(buffer) &&
              std::ranges::none_of(nests_.blocks_in(writer),
                                   [](const Block* block) { return has_reduction(*block); }) &&
              positions.insert(writer).second)
            next.push_back(writer);
    }
    return positions;
  }

  // The block, who reads what it computes, and who else has to do with that.
  Positions around_inlined(const std::string& name) const {
    if (!apart_) return all();
    const std::string& buffer = only_store(nests_.block(name))->buffer;
    Positions positions = nests_.readers_of(buffer);
    positions.insert(nests_.position_of(name));
    add(positions, nests_.writers_of(buffer));
    return positions;
  }

  // The block, and who else has to do with what it reads and is no parameter.
  Positions around_read(const std::string& name) const {
    if (!apart_) return all();
    const std::size_t own = nests_.position_of(name);
    Positions positions{own};
    for (const std::string& buffer : nests_.read_in(own)) {
      if (nests_.parameter(buffer)) continue;
      add(positions, nests_.readers_of(buffer));
      add(positions, nests_.writers_of(buffer));
    }
    return positions;
  }

  // The block, the one that may be computed with it, and who else reads a constant that may be
  // packed.
  Positions around_scheduled(const std::string& name) const {
    if (!apart_) return all();
    const std::size_t own = nests_.position_of(name);
    Positions positions{own};
    if (!has_reduction(nests_.block(name))) return positions;
    for (const std::string& buffer : nests_.read_in(own))
      if (const Buffer* parameter = nests_.parameter(buffer);
          parameter && may_be_packed(*parameter))
        add(positions, nests_.readers_of(buffer));
    const loop::Store* store = only_store(nests_.block(name));
    if (!store) return positions;
    add(positions, nests_.writers_of(store->buffer));
    Positions readers = nests_.readers_of(store->buffer);
    readers.erase(own);
    if (readers.size() != 1) return positions;
    // It would be moved here: before what computes its other operands, if that comes between.
    const std::size_t reader = *readers.begin();
    positions.insert(reader);
    for (const std::string& buffer : nests_.read_in(reader))
      for (const std::size_t writer : nests_.writers_of(buffer))
        if (writer > own) positions.insert(writer);
    return positions;
  }

  // These, and what makes copies that a sum reads, for they may be moved into its loops.
  Positions around_tiled(const std::string& name) const {
    Positions positions = around_scheduled(name);
    if (!apart_ || !has_reduction(nests_.block(name))) return positions;
    add(positions, around_read(name));
    // Sums over what follows this one may join it (RowSum).
    std::optional<std::string> sum = name;
    while (sum) {
      const std::optional<std::string> next = sum_of_what_follows(*sum);
      if (next) add(positions, around_scheduled(*next));
      sum = next;
    }
    return positions;
  }

  // The sum that reads what the only reader of this one computes.
  std::optional<std::string> sum_of_what_follows(const std::string& name) const {
    const auto written_by = [&](const Block& block) -> const std::string* {
      const loop::Store* store = only_store(block);
      return store && !nests_.parameter(store->buffer) ? &store->buffer : nullptr;
    };
    const std::string* buffer = written_by(nests_.block(name));
    if (!buffer) return std::nullopt;
    Positions readers = nests_.readers_of(*buffer);
    readers.erase(nests_.position_of(name));
    if (readers.size() != 1 || nests_.blocks_in(*readers.begin()).size() != 1) return std::nullopt;
    const std::size_t follower = *readers.begin();
    const std::string* followed = written_by(*nests_.blocks_in(follower).front());
    if (!followed) return std::nullopt;
    for (const std::size_t reader : nests_.readers_of(*followed))
      if (reader > follower && nests_.blocks_in(reader).size() == 1 &&
          has_reduction(*nests_.blocks_in(reader).front()))
        return nests_.blocks_in(reader).front()->name;
    return std::nullopt;
  }

  static void add(Positions& positions, const Positions& more) {
    positions.insert(more.begin(), more.end());
  }

  NestList nests_;
  const Machine& machine_;
  const TileChooser& chooser_;
  const bool apart_;
  Trace trace_;
  std::set<std::string> looked_up_;
  std::set<std::string> done_;  // scheduled, with whom they belong to
  std::vector<RowChain> chains_;
  std::map<std::string, Band> bands_;  // of the chains' sums
};

}  // namespace

Result<Scheduled> schedule_by_default(const loop::Func& func, const Machine& machine,
                                      const TileChooser& chooser) {
  Scheduling scheduling(func, machine, chooser);
  scheduling.run();
  return std::move(scheduling).take();
}

Result<Trace> default_schedule(const loop::Func& func, const Machine& machine) {
  return TRY(schedule_by_default(func, machine)).trace;
}

}  // namespace loopglass::schedule
