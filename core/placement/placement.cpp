#include "core/placement/placement.h"

#include "core/placement/parts.h"
#include "core/placement/piece_places.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <map>
#include <unordered_map>

namespace loopglass::placement {
namespace {

using graph::ValueId;
using te::Box;
using te::Piece;

// An output of a kernel, taken apart.
struct Result {
  ValueId value;
  std::vector<Piece> pieces;
  std::vector<ValueId> sources;      // per piece; invalid: computed
  std::vector<CopyReason> refusals;  // per piece: why it is copied, if it is
};

// Decides where each result lies, and writes down what is left to compute.
class Placer {
 public:
  Placer(const graph::Graph& graph, const std::vector<fusion::KernelProgram>& kernels)
      : graph_(graph), kernels_(kernels), locations_(graph, kernels) {
    for (const fusion::KernelProgram& kernel : kernels) {
      results_.push_back(results_of(kernel));
      for (std::size_t r = 0; r < results_.back().size(); ++r)
        result_of_[results_.back()[r].value] = {results_.size() - 1, r};
    }
  }

  // From the last kernel to the first: where a result lies is known before its operands ask.
  void place() {
    for (std::size_t k = kernels_.size(); k-- > 0;)
      for (Result& result : results_[k]) {
        if (std::none_of(result.sources.begin(), result.sources.end(),
                         [](ValueId source) { return source.valid(); }))
          continue;
        const auto refusal = view(result);
        if (!refusal) continue;
        const bool aligned = begins_aligned(result);
        for (std::size_t p = 0; p < result.pieces.size(); ++p) {
          if (!result.sources[p].valid()) continue;
          const auto reason =
              aligned ? write_there(result, p) : std::optional(CopyReason::Misaligned);
          // Of a part of one tensor it matters why it is not read there, not why that does not
          // move.
          if (reason) result.refusals[p] = result.pieces.size() == 1 ? *refusal : *reason;
        }
      }
  }

  Placement finish() {
    Placement placement;
    for (std::size_t k = 0; k < kernels_.size(); ++k) placement.kernels.push_back(remaining(k));
    for (const graph::ValuePtr& value : graph_.values())
      if (const Location& location = locations_.of(value->id); location.buffer != value->id)
        placement.shared.push_back({value->id, location.rows,
                                    place_of(value->id, location.rows.offset),
                                    is_dense(location.rows, value->type.shape)});
    return placement;
  }

 private:
  std::vector<Result> results_of(const fusion::KernelProgram& kernel) const {
    if (fusion::is_missing(kernel)) return {};
    std::unordered_map<std::string, ValueId> values;
    for (std::size_t i = 0; i < kernel.inputs.size(); ++i)
      values.emplace(kernel.program.inputs[i].name, kernel.inputs[i]);
    for (std::size_t o = 0; o < kernel.outputs.size(); ++o)
      values.emplace(kernel.program.outputs[o], kernel.outputs[o]);
    std::vector<Result> results;
    const te::ProgramIndex index(kernel.program);
    for (std::size_t o = 0; o < kernel.outputs.size(); ++o) {
      Result result{kernel.outputs[o], pieces_of(index, kernel.program.outputs[o]), {}, {}};
      for (const Piece& piece : result.pieces)
        result.sources.push_back(piece.copied ? values.at(piece.copied->tensor) : ValueId());
      result.refusals.resize(result.pieces.size(), CopyReason::PlacedElsewhere);
      results.push_back(std::move(result));
    }
    return results;
  }

  const Shape& shape(ValueId id) const { return locations_.shape(id); }

  // Whether what is left of the result can be written in parts: each as a tensor.
  bool begins_aligned(const Result& result) {
    const Rows& rows = locations_.of(result.value).rows;
    return std::all_of(result.pieces.begin(), result.pieces.end(), [&](const Piece& piece) {
      return first_of(piece.box, rows) * element_bytes(result.value) % buffer_alignment == 0;
    });
  }

  bool is_written(const Result& result, std::size_t p) {
    if (!result.sources[p].valid()) return false;
    const auto seen =
        seen_through(result.pieces[p], shape(result.value), locations_.of(result.sources[p]));
    return seen && is_at(*seen, result.pieces[p].box, locations_.of(result.value));
  }

  // Where the result would lie if it were read where what it copies lies.
  std::expected<Location, CopyReason> together(const Result& result) {
    std::vector<Seen> seen;
    for (std::size_t p = 0; p < result.pieces.size(); ++p) {
      if (!result.sources[p].valid()) return std::unexpected(CopyReason::PlacedElsewhere);
      const auto through =
          seen_through(result.pieces[p], shape(result.value), locations_.of(result.sources[p]));
      if (!through) return std::unexpected(CopyReason::NotRows);
      seen.push_back(*through);
    }
    if (seen.empty()) return std::unexpected(CopyReason::PlacedElsewhere);
    const auto whole = joined(result.pieces, seen, shape(result.value));
    if (!whole) return std::unexpected(CopyReason::PlacedElsewhere);
    return *whole;
  }

  // Reads the result where what it copies lies, or says why not.
  std::optional<CopyReason> view(const Result& result) {
    for (const ValueId source : result.sources)
      if (source.valid() && !locations_.has_own_memory(source)) {
        const ValueId buffer = locations_.of(source).buffer;
        for (const ValueId other : result.sources)
          if (other.valid()) settle(other, buffer);
        break;
      }
    const auto whole = together(result);
    if (!whole) return whole.error();
    if (whole->buffer == locations_.of(result.value).buffer) return CopyReason::PlacedElsewhere;
    if (graph_.is_output(result.value)) return CopyReason::ResultIsOutput;
    if (!locations_.has_own_memory(result.value)) return CopyReason::PlacedElsewhere;
    return locations_.lay(result.value, *whole);
  }

  // Reads a value where it lies if all that it copies has come to lie in one buffer already: of
  // concatenations inside concatenations, the inner ones are met later.
  bool settle(ValueId value, ValueId buffer) {
    if (locations_.of(value).buffer == buffer) return true;
    if (!locations_.has_own_memory(value) || locations_.is_for_caller(value)) return false;
    const auto found = result_of_.find(value);
    if (found == result_of_.end()) return false;
    const Result& result = results_[found->second.first][found->second.second];
    for (const ValueId source : result.sources)
      if (!source.valid() || !settle(source, buffer)) return false;
    const auto whole = together(result);
    return whole && whole->buffer == buffer && !locations_.lay(value, *whole);
  }

  // Has what a piece copies written into the result's memory at once, or says why not.
  std::optional<CopyReason> write_there(const Result& result, std::size_t p) {
    if (is_written(result, p)) return std::nullopt;
    const ValueId operand = result.sources[p];
    const graph::Value& value = graph_.value(operand);
    if (value.is_constant()) return CopyReason::OperandIsConstant;
    if (!value.producer.valid()) return CopyReason::OperandIsInput;
    if (graph_.is_output(operand)) return CopyReason::OperandIsOutput;
    const Location target = locations_.of(result.value);
    if (!locations_.has_own_memory(operand) || target.buffer == operand)
      return CopyReason::PlacedElsewhere;
    const auto there = written_there(result.pieces[p], shape(result.value));
    if (!there) return there.error();
    const auto rows = compose(*there, shape(operand), shape(result.value), target.rows);
    if (!rows) return CopyReason::NotRows;
    return locations_.lay(operand, {target.buffer, *rows});
  }

  std::int64_t element_bytes(ValueId id) const {
    return static_cast<std::int64_t>(byte_size(graph_.value(id).type.type));
  }
  Place place_of(ValueId id, std::int64_t element) {
    return {locations_.of(id).buffer, element * element_bytes(id)};
  }
  // The shape of the memory that a value, or a box of it, is written to; nullopt: its own.
  std::optional<Shape> memory_of(ValueId id, const Shape& extents) {
    const Rows& rows = locations_.of(id).rows;
    if (is_dense(rows, extents)) return std::nullopt;
    const auto pitched = pitched_shape(rows, extents);
    CHECK(pitched, "what lies in rows has a pitch");
    return pitched;
  }

  PlacedKernel remaining(std::size_t k) {
    const fusion::KernelProgram& kernel = kernels_[k];
    PlacedKernel placed;
    if (fusion::is_missing(kernel)) {
      placed.kernel = kernel;
      for (const auto* values : {&kernel.inputs, &kernel.outputs})
        for (const ValueId id : *values) placed.places.push_back({id, 0});
      return placed;
    }
    std::vector<Remainder> remainders;
    std::vector<Place> outputs;
    for (const Result& result : results_[k]) {
      remainders.push_back(remainder_of(result, placed));
      if (remainders.back().whole) {
        outputs.push_back(place_of(result.value, locations_.of(result.value).rows.offset));
      } else {
        for (const Part& part : remainders.back().parts)
          outputs.push_back(
              place_of(result.value, first_of(part.box, locations_.of(result.value).rows)));
        if (remainders.back().parts.empty()) placed.handed_on.push_back(result.value);
      }
    }
    std::map<std::size_t, Shape> inputs;
    for (std::size_t i = 0; i < kernel.inputs.size(); ++i)
      if (const auto memory = memory_of(kernel.inputs[i], shape(kernel.inputs[i])))
        inputs.emplace(i, *memory);
    const bool as_it_was =
        inputs.empty() && std::all_of(remainders.begin(), remainders.end(),
                                      [](const Remainder& r) { return r.whole && !r.memory; });
    placed.kernel = as_it_was ? kernel : remaining_kernel(kernel, remainders, inputs);
    for (const ValueId id : placed.kernel.inputs)
      placed.places.push_back(place_of(id, locations_.of(id).rows.offset));
    placed.places.insert(placed.places.end(), outputs.begin(), outputs.end());
    return placed;
  }

  Remainder remainder_of(const Result& result, PlacedKernel& placed) {
    Remainder remainder;
    remainder.memory = memory_of(result.value, shape(result.value));
    for (std::size_t p = 0; p < result.pieces.size(); ++p)
      if (is_written(result, p)) remainder.whole = false;
    for (std::size_t p = 0; p < result.pieces.size(); ++p) {
      if (is_written(result, p)) continue;
      const Box& box = result.pieces[p].box;
      if (result.sources[p].valid())
        placed.copies.push_back({result.value, result.sources[p],
                                 box.elements() * element_bytes(result.value), result.refusals[p]});
      if (remainder.whole) continue;
      CHECK(first_of(box, locations_.of(result.value).rows) * element_bytes(result.value) %
                    buffer_alignment ==
                0,
            "a part of a result is aligned");
      Shape extents;
      for (std::size_t d = 0; d < box.begin.size(); ++d)
        extents.push_back(box.end[d] - box.begin[d]);
      const auto memory = memory_of(result.value, extents);
      remainder.parts.push_back({box, memory ? *memory : extents});
    }
    return remainder;
  }

  const graph::Graph& graph_;
  const std::vector<fusion::KernelProgram>& kernels_;
  Locations locations_;
  std::vector<std::vector<Result>> results_;  // by kernel
  std::unordered_map<ValueId, std::pair<std::size_t, std::size_t>> result_of_;
};

}  // namespace

const SharedValue* Placement::find(ValueId value) const {
  const auto found = std::lower_bound(
      shared.begin(), shared.end(), value,
      [](const SharedValue& one, ValueId id) { return one.value.value < id.value; });
  return found != shared.end() && found->value == value ? &*found : nullptr;
}

Placement place_values(const graph::Graph& graph, const std::vector<fusion::KernelProgram>& kernels,
                       bool share) {
  Placer placer(graph, kernels);
  if (share) placer.place();
  return placer.finish();
}

std::string describe_view(const PlacedKernel& kernel, const Placement& placement,
                          const graph::Graph& graph) {
  std::vector<std::string> parts;
  for (const ValueId id : kernel.handed_on) {
    const SharedValue* shared = placement.find(id);
    parts.push_back(shared
                        ? fmt::format("{} is read where it lies, in the memory of {}",
                                      graph.value(id).name, graph.value(shared->place.buffer).name)
                        : fmt::format("the parts of {} are written there by the kernels that "
                                      "compute them",
                                      graph.value(id).name));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace loopglass::placement
