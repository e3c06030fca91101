// Verdicts in words: the decision table of a plan, sorted and filtered, and one edge as a person
// reads it.
#pragma once

#include "core/fusion/plan.h"
#include "core/support/filter.h"

#include <array>

namespace loopglass::fusion {

enum class DecisionOrder : std::uint8_t { Graph, Bytes, Reason, Verdict, Producer, Consumer };
inline constexpr std::array decision_orders{DecisionOrder::Graph,    DecisionOrder::Bytes,
                                            DecisionOrder::Reason,   DecisionOrder::Verdict,
                                            DecisionOrder::Producer, DecisionOrder::Consumer};
std::string_view name(DecisionOrder order);  // "bytes"

// What the filter (decision_filter.h) picks out. Sizes come largest first, texts in their order,
// what is fused after what is not; equal ones, and all by Graph, as the edges run through the
// graph.
std::vector<const Decision*> decision_table(const Plan& plan, const graph::Graph& graph,
                                            const Filter& filter = {},
                                            DecisionOrder order = DecisionOrder::Graph);

// How the conditions of verdicts are written, for the legend.
std::string_view condition_notation();
// The pattern kind that a number stands for, by its key; nothing where it is a number.
std::optional<std::string_view> kind_of(std::string_view key, double number);
// "18816", or "Injective"
std::string number_text(std::string_view key, double number);

// The same with its key, as "kind = Injective", "bytes = 18.4 KiB" or "time fused = 12.3 µs";
// nothing where it is a cost that is no time.
std::optional<std::string> number_words(std::string_view key, double number, bool timed);

// "FUSED in fused_conv_relu_3" or "SECOND_ANCHOR"
std::string verdict(const Decision& decision, const Plan& plan);
// The edge, its verdict and tensor in a line, then the condition, the sentence and the numbers.
// `timed`: whether its costs are times, of a machine that was calibrated.
std::string to_text(const Decision& decision, const Plan& plan, const graph::Graph& graph,
                    bool timed);

// How many edges have a reason, in the order of the enumeration; those that none has are left out.
std::vector<std::pair<Reason, std::size_t>> reason_counts(
    const std::vector<const Decision*>& decisions);

}  // namespace loopglass::fusion
