// Attention of language models that ONNX Runtime's model builder writes: one head of keys and
// values serves several heads of queries (J. Ainslie et al., "GQA: Training Generalized Multi-Query
// Transformer Models from Multi-Head Checkpoints", 2023), and what was before may end elsewhere in
// each row of the batch. Places of row b: seqlens_k[b] + 1 in all, the new ones behind the old
// ones.
#include "core/contributed/attention_text.h"
#include "core/contributed/function.h"
#include "core/contributed/rotary_text.h"
#include "core/contributed/text.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <limits>

namespace loopglass::contributed {

using enum ops::AttributeKind;

namespace {

struct GroupQuery {
  AttentionSizes sizes;      // keys: as many places as any row has
  std::int64_t present = 0;  // places that the results have room for
  bool is_packed = false;    // queries, keys and values in one operand
  bool is_first = false;     // nothing is before
};

// --- what is not written here -------------------------------------------------------------------

Result<void> check_attributes_of_groups(const Call& call) {
  constexpr std::array<std::pair<const char*, std::int64_t>, 4> only{
      {{"causal", 1}, {"kv_cache_bit_width", 0}, {"qk_output", 0}, {"sliding_window_cache", 0}}};
  for (const auto& [name, value] : only)
    if (call.integer(name, value) != value)
      return fail(Code::AttributeUnsupported,
                  fmt::format("with {} = {} it is not supported", name, call.integer(name, value)));
  for (const char* name : {"k_quant_type", "v_quant_type"})
    if (call.word(name, "NONE") != "NONE")
      return fail(Code::AttributeUnsupported,
                  fmt::format("with {} = '{}' it is not supported", name, call.word(name, "")));
  if (const std::int64_t window = call.integer("local_window_size", -1);
      window != -1 && window <= 0)
    return fail(Code::AttributeUnsupported,
                fmt::format("a local_window_size of {} is not supported", window));
  if (call.outputs() > 3)
    return fail(Code::OperatorUnsupported, "its result 'output_qk' is not supported");
  return {};
}

Result<void> check_operands_of_groups(const Call& call) {
  for (const char* name : {"k_scale", "v_scale", "q_norm_weight", "k_norm_weight"})
    if (call.has(name))
      return fail(Code::OperatorUnsupported, fmt::format("with '{}' it is not supported", name));
  constexpr std::array<std::pair<const char*, const char*>, 3> pairs{
      {{"key", "value"}, {"past_key", "past_value"}, {"cos_cache", "sin_cache"}}};
  for (const auto& [one, other] : pairs)
    if (call.has(one) != call.has(other))
      return fail(Code::OperatorMisused,
                  fmt::format("'{}' and '{}' belong together, and one is left out", one, other));
  if (call.integer("do_rotary", 0) != 0 && !call.has("cos_cache"))
    return fail(Code::OperatorMisused, "do_rotary asks for 'cos_cache' and 'sin_cache'");
  if (call.integer("smooth_softmax", 0) != 0 && call.has("head_sink"))
    return fail(Code::OperatorMisused, "smooth_softmax and 'head_sink' exclude one another");
  return {};
}

Result<void> require_shape(const Call& call, std::string_view operand, const Shape& shape) {
  if (call.shape(operand) == shape) return {};
  return fail(Code::OperatorMisused, fmt::format("'{}' is {}, it must be {}", operand,
                                                 to_string(call.shape(operand)), to_string(shape)));
}

// How many places there are: as total_sequence_length says, or, where that is known only when the
// network runs, those of the past and the new ones.
Result<void> take_length(const Call& call, GroupQuery& group) {
  AttentionSizes& sizes = group.sizes;
  const auto known = call.known("total_sequence_length");
  sizes.keys = known.value_or(sizes.past + sizes.queries);
  group.present = std::max(sizes.keys, sizes.past);
  group.is_first = sizes.keys == sizes.queries;
  if (sizes.queries <= 0 || sizes.keys < sizes.queries || (!group.is_first && sizes.past == 0))
    return fail(
        Code::OperatorUnsupported,
        fmt::format("a total_sequence_length of {} for a past of {} and a sequence of {} is "
                    "not supported",
                    sizes.keys, sizes.past, sizes.queries));
  // ONNX Runtime has no such either.
  if (!group.is_first && sizes.queries > 1 && sizes.batch > 1)
    return fail(Code::OperatorUnsupported,
                fmt::format("a past with a sequence of {} is supported only in a batch of one",
                            sizes.queries));
  return {};
}

Result<GroupQuery> group_query_of(const Call& call) {
  TRY_VOID(check_attributes_of_groups(call));
  TRY_VOID(check_operands_of_groups(call));
  TRY_VOID(call.require_rank("query", 3));
  GroupQuery group;
  AttentionSizes& sizes = group.sizes;
  group.is_packed = !call.has("key");
  sizes.batch = call.extent("query", 0);
  sizes.queries = call.extent("query", 1);
  sizes.heads = call.integer("num_heads", 0);
  sizes.key_heads = call.integer("kv_num_heads", 0);
  const std::int64_t width = call.extent("query", 2), most = 1 << 20;
  if (sizes.heads <= 0 || sizes.key_heads <= 0 || sizes.heads > most || sizes.key_heads > most ||
      sizes.heads % sizes.key_heads != 0 ||
      width % (sizes.heads + (group.is_packed ? 2 * sizes.key_heads : 0)) != 0)
    return fail(Code::OperatorMisused,
                fmt::format("{} columns for {} heads, and {} of keys and values", width,
                            sizes.heads, sizes.key_heads));
  sizes.size = width / (sizes.heads + (group.is_packed ? 2 * sizes.key_heads : 0));
  sizes.value_size = sizes.size;
  if (!group.is_packed)
    for (const char* name : {"key", "value"})
      TRY_VOID(
          require_shape(call, name, {sizes.batch, sizes.queries, sizes.key_heads * sizes.size}));
  if (call.has("past_key")) {
    TRY_VOID(call.require_rank("past_key", 4));
    sizes.past = call.extent("past_key", 2);
    for (const char* name : {"past_key", "past_value"}) {
      TRY_VOID(require_shape(call, name, {sizes.batch, sizes.key_heads, sizes.past, sizes.size}));
      if (call.type(name) != call.type("query"))
        return fail(Code::OperatorUnsupported,
                    fmt::format("'{}' of another type than the queries is not supported", name));
    }
  }
  if (element_count(call.shape("seqlens_k")) != sizes.batch)
    return fail(Code::OperatorMisused, "'seqlens_k' has not one number for each row");
  TRY_VOID(take_length(call, group));
  if (call.has("position_ids"))
    TRY_VOID(require_shape(call, "position_ids", {sizes.batch, sizes.queries}));
  if (call.has("head_sink")) TRY_VOID(require_shape(call, "head_sink", {sizes.heads}));
  return group;
}

// --- places -------------------------------------------------------------------------------------

// `name`: begin, begin + 1, ..., end - 1, as a column or a row.
std::string places(std::string_view name, std::int64_t begin, std::int64_t end, bool is_column) {
  const std::string wide = fmt::format("{}_wide", name), row = fmt::format("{}_row", name);
  return range(wide, begin, end) + cast(row, wide, DataType::Int32) +
         (is_column ? reshape(name, row, {end - begin, 1})
                    : fmt::format("{} = Identity({})\n", name, row));
}

std::string whole_number(std::string_view name, std::int64_t value) {
  return fmt::format("{0}_wide = Constant <value_int = {1}> ()\n", name, value) +
         cast(name, fmt::format("{}_wide", name), DataType::Int32);
}

// Of each row, [batch, 1, 1, 1]: "totals", how many places it has, and "befores", how many before
// the new ones.
std::string lengths(const GroupQuery& group) {
  return reshape("lasts", "seqlens_k", {group.sizes.batch, 1, 1, 1}) + whole_number("one", 1) +
         "totals = Add(lasts, one)\n" + whole_number("now", group.sizes.queries) +
         "befores = Sub(totals, now)\n";
}

// "query_ends", [batch, 1, queries, 1]: the place behind each query. What pads a first prompt sees
// no more than the last query before it, as ONNX Runtime has it, but with a window where it is
// fast.
std::string query_ends(const GroupQuery& group) {
  if (group.is_first)
    return places("query_ends_full", 1, group.sizes.queries + 1, true) +
           "query_ends = Min(query_ends_full, totals)\n";
  return places("query_steps", 1, group.sizes.queries + 1, true) +
         "query_ends = Add(befores, query_steps)\n";
}

// "seen", [batch, 1, queries, keys]: each query sees the keys up to its own place, or the last few.
std::string seen(const Call& call, const GroupQuery& group) {
  const std::int64_t window = call.integer("local_window_size", -1);
  const std::string text = query_ends(group) + places("key_places", 0, group.sizes.keys, false);
  if (window < 0 || window >= group.sizes.keys)
    return text + "seen = Less(key_places, query_ends)\n";
  return text + whole_number("window", window) +
         "not_later = Less(key_places, query_ends)\nwindow_begins = Sub(query_ends, window)\n"
         "near = GreaterOrEqual(key_places, window_begins)\nseen = And(not_later, near)\n";
}

// "places", [1 or batch, queries], that queries and keys are turned by. Of a first prompt ONNX
// Runtime takes the first one that is given, and goes on from there.
std::string rotary_places(const Call& call, const GroupQuery& group) {
  const AttentionSizes& sizes = group.sizes;
  if (!group.is_first && call.has("position_ids")) return "places = Identity(position_ids)\n";
  if (!group.is_first)
    return places("place_steps", 0, sizes.queries, false) +
           reshape("before_column", "befores", {sizes.batch, 1}) +
           "places = Add(before_column, place_steps)\n";
  const std::string steps = range("place_steps", 0, sizes.queries);
  if (!call.has("position_ids"))
    return steps + reshape("places", "place_steps", {1, sizes.queries});
  return steps + slice("first_row", "position_ids", 0, 1, 0) +
         slice("first_place", "first_row", 0, 1, 1) + "places = Add(first_place, place_steps)\n";
}

// --- queries, keys and values -------------------------------------------------------------------

// "query_heads", "key_now" and "value_now", by heads.
Result<std::string> heads_of_groups(const Call& call, const GroupQuery& group) {
  const AttentionSizes& sizes = group.sizes;
  const bool turns = call.integer("do_rotary", 0) != 0;
  RotarySizes rotary{sizes.batch, sizes.queries,
                     sizes.heads, sizes.size,
                     0,           call.integer("rotary_interleaved", 0) != 0};
  std::string text;
  if (turns) {
    for (const char* cache : {"cos_cache", "sin_cache"}) TRY_VOID(call.require_rank(cache, 2));
    rotary.half = call.extent("cos_cache", 1);
    TRY_VOID(check_rotary(rotary));
    text += rotary_places(call, group) + waves_at_places();
  }
  std::string_view query = "query", key = "key", value = "value";
  if (group.is_packed) {
    const std::int64_t width = sizes.key_heads * sizes.size;
    text += vector("widths", {sizes.heads * sizes.size, width, width}) +
            "query_part, key_part, value_part = Split <axis = 2> (query, widths)\n";
    query = "query_part";
    key = "key_part";
    value = "value_part";
  }
  const auto add = [&](std::string_view name, std::string_view from, std::int64_t heads,
                       bool is_turned) {
    if (!is_turned) {
      text += in_heads(name, from, sizes.batch, sizes.queries, heads, sizes.size);
      return;
    }
    rotary.heads = heads;
    const std::string by_place = fmt::format("{}_by_place", name);
    const std::string turned = fmt::format("{}_turned_by_place", name);
    text += reshape(by_place, from, {sizes.batch, sizes.queries, heads, sizes.size}) +
            turned_heads(turned, by_place, rotary) + transpose(name, turned, {0, 2, 1, 3});
  };
  add("query_heads", query, sizes.heads, turns);
  add("key_now", key, sizes.key_heads, turns);
  add("value_now", value, sizes.key_heads, false);
  return text;
}

// `name`, with zeros behind the places of `from` up to those of the results.
std::string with_room(std::string_view name, std::string_view from, std::int64_t length,
                      std::int64_t present) {
  if (length == present) return fmt::format("{} = Identity({})\n", name, from);
  return vector(fmt::format("{}_pads", name), {0, 0, 0, 0, 0, 0, present - length, 0}) +
         fmt::format("{0} = Pad({1}, {0}_pads)\n", name, from);
}

// What tells where in the results old places are and where new ones: "old" and "new", [batch, 1,
// present, 1], and, where there are several, which of them lies at a place: "new_steps".
std::string old_and_new(const GroupQuery& group) {
  if (group.is_first) return "";
  std::string text = places("present_places", 0, group.present, true) +
                     "old = Less(present_places, befores)\nnew = Less(present_places, totals)\n";
  if (group.sizes.queries == 1) return text;
  // Of a batch of one.
  return text + "far_steps = Sub(present_places, befores)\n" + whole_number("first_step", 0) +
         whole_number("last_step", group.sizes.queries - 1) +
         "near_steps = Clip(far_steps, first_step, last_step)\n" +
         reshape("new_steps", "near_steps", {group.present});
}

// present_`of` and `of`_heads, of `of`_now and past_`of`.
std::string present(const GroupQuery& group, std::string_view of) {
  const auto named = [&](std::string_view pattern) {
    return fmt::format(fmt::runtime(pattern), fmt::arg("of", of));
  };
  const AttentionSizes& sizes = group.sizes;
  std::string text;
  if (group.is_first) {
    text = with_room(named("present_{of}"), named("{of}_now"), sizes.queries, group.present);
  } else {
    text = with_room(named("{of}_before"), named("past_{of}"), sizes.past, group.present) +
           named(sizes.queries == 1 ? "{of}_new = Identity({of}_now)\n"
                                    : "{of}_new = Gather <axis = 2> ({of}_now, new_steps)\n") +
           scalar(named("{of}_nothing"), 0, named("{of}_now")) +
           named(
               "{of}_behind = Where(new, {of}_new, {of}_nothing)\n"
               "present_{of} = Where(old, {of}_before, {of}_behind)\n");
  }
  if (sizes.keys == group.present) return text + named("{of}_heads = Identity(present_{of})\n");
  return text + slice(named("{of}_heads"), named("present_{of}"), 0, sizes.keys, 2);
}

// --- scores -------------------------------------------------------------------------------------

// "seen_scores" of "capped_scores".
Result<std::string> seen_scores_of_groups(const Call& call, const GroupQuery& group) {
  const std::string text = seen(call, group) + lowest_text();
  if (!call.has("attention_bias"))
    return text + "seen_scores = Where(seen, capped_scores, lowest)\n";
  const AttentionSizes& sizes = group.sizes;
  const Shape& shape = call.shape("attention_bias");
  if (shape.size() != 4 || (shape[0] != 1 && shape[0] != sizes.batch) ||
      (shape[1] != 1 && shape[1] != sizes.heads) || shape[2] != sizes.queries ||
      shape[3] != sizes.keys)
    return fail(Code::OperatorMisused,
                fmt::format("an attention_bias that is {} for {} queries and {} keys",
                            to_string(shape), sizes.queries, sizes.keys));
  return text +
         "bias = CastLike(attention_bias, capped_scores)\nmask = Where(seen, bias, lowest)\n"
         "seen_scores = Add(capped_scores, mask)\n";
}

// "shares" of "seen_scores": softmax, or one with a sink, a score beside them that takes a share of
// its own. A query to which a bias leaves nothing has no shares, as ONNX Runtime has it where it is
// fast; with a cap it has even ones there.
std::string shares_of_groups(const Call& call, const GroupQuery& group) {
  if (call.integer("smooth_softmax", 0) == 0 && !call.has("head_sink"))
    return call.has("attention_bias") ? shares_behind_mask(std::numeric_limits<float>::lowest())
                                      : std::string("shares = Softmax <axis = -1> (seen_scores)\n");
  const std::string sink = call.has("head_sink")
                               ? "sinks = CastLike(head_sink, seen_scores)\n" +
                                     reshape("sink", "sinks", {1, group.sizes.heads, 1, 1})
                               : scalar("sink", 0, "seen_scores");
  return sink + vector("score_axes", {-1}) +
         "highest_seen = ReduceMax(seen_scores, score_axes)\nhighest = Max(highest_seen, sink)\n"
         "lowered = Sub(seen_scores, highest)\nparts = Exp(lowered)\n"
         "seen_parts = ReduceSum(parts, score_axes)\n"
         "lowered_sink = Sub(sink, highest)\nsink_part = Exp(lowered_sink)\n"
         "all_parts = Add(seen_parts, sink_part)\nshares = Div(parts, all_parts)\n";
}

Result<std::string> group_query_nodes(const Call& call) {
  const GroupQuery group = TRY(group_query_of(call));
  const AttentionSizes& sizes = group.sizes;
  return lengths(group) + TRY(heads_of_groups(call, group)) + old_and_new(group) +
         present(group, "key") + present(group, "value") + scores_text(call, sizes) +
         capped_text(call) + TRY(seen_scores_of_groups(call, group)) +
         shares_of_groups(call, group) + mixed_text(sizes) +
         by_place("output", "mixed", sizes.batch, sizes.queries, sizes.heads, sizes.value_size);
}

}  // namespace

std::vector<Function> group_query_attention() {
  return {{"GroupQueryAttention",
           "Attention of several heads of queries for each head of keys and values, with a past.",
           {"query", "key?", "value?", "past_key?", "past_value?", "seqlens_k",
            "total_sequence_length", "cos_cache?", "sin_cache?", "position_ids?", "attention_bias?",
            "head_sink?", "k_scale?", "v_scale?", "q_norm_weight?", "k_norm_weight?"},
           {"output", "present_key", "present_value", "output_qk"},
           {{"num_heads"},
            {"kv_num_heads"},
            {"scale", Float},
            {"softcap", Float},
            {"do_rotary"},
            {"rotary_interleaved"},
            {"local_window_size"},
            {"smooth_softmax"},
            {"causal"},
            {"kv_cache_bit_width"},
            {"k_quant_type", String},
            {"v_quant_type", String},
            {"qk_norm_epsilon", Float},
            {"qk_output"},
            {"sliding_window_cache"}},
           group_query_nodes,
           "com.microsoft",
           every_version,
           "where total_sequence_length is known only when the network runs, it is taken to be the "
           "past's length and the sequence's together; --set says another",
           1,
           {"total_sequence_length"}}};
}

}  // namespace loopglass::contributed
