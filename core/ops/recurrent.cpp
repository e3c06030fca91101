// RNN, GRU and LSTM, unrolled over time: one set of stages a step. What does not depend on the
// state (input times weights) is one stage for all steps.
#include "core/ops/families.h"
#include "core/ops/recurrent_direction.h"

#include <fmt/format.h>

namespace loopglass::ops {

namespace {

// Every step becomes loops of its own; more than this would compile for minutes.
constexpr std::int64_t longest_sequence = 256;

Sizes sizes_of(const Shape& x, const Shape& r, const Attributes& attributes) {
  const bool batch_first = attributes.integer("layout") != 0;
  return {x[batch_first ? 1 : 0], x[batch_first ? 0 : 1], x[2], r[2], r[0], batch_first};
}

Result<void> require_shape(const InferContext& context, std::size_t input, const Shape& shape) {
  if (!context.has(input) || context.input(input).shape == shape) return {};
  return misused(fmt::format("input {} is {}, not {}", input, to_string(context.input(input)),
                             to_string(shape)));
}

Result<void> check_attributes(const Attributes& attributes, const Sizes& sizes, const Cell& cell) {
  TRY_VOID(require_choice(attributes, "direction", {"forward", "reverse", "bidirectional"}));
  if ((attributes.string("direction") == "bidirectional") != (sizes.directions == 2) ||
      sizes.directions > 2)
    return misused(fmt::format("{} sets of weights for direction '{}'", sizes.directions,
                               attributes.string("direction")));
  if (attributes.has("hidden_size") && attributes.integer("hidden_size") != sizes.hidden)
    return misused(fmt::format("hidden_size {} with weights for {}",
                               attributes.integer("hidden_size"), sizes.hidden));
  if (attributes.has("clip") && !(attributes.real("clip") > 0))
    return unsupported_attribute("clip must be positive");
  if (sizes.steps > longest_sequence)
    return unsupported_attribute(fmt::format("a sequence of {} steps; at most {} are unrolled",
                                             sizes.steps, longest_sequence));
  if (sizes.steps < 1 || sizes.hidden < 1) return misused("an empty sequence or state");
  TRY_VOID(
      cell_activations(attributes, cell.activations, static_cast<std::size_t>(sizes.directions)));
  return {};
}

Result<Types> infer_recurrent(const InferContext& context, const Cell& cell) {
  TRY_VOID(require_type(context, sequence, float_types));
  for (const std::size_t input : {sequence, weights, recurrence})
    TRY_VOID(require_rank(context, input, 3));
  for (std::size_t input = 0; input < context.inputs.size(); ++input) {
    const DataType wanted = input == lengths ? DataType::Int32 : context.input(sequence).type;
    if (context.has(input) && context.input(input).type != wanted)
      return misused(fmt::format("input {} is {}, not of {}", input,
                                 to_string(context.input(input)), name(wanted)));
  }
  const Sizes sizes =
      sizes_of(context.input(sequence).shape, context.input(recurrence).shape, context.attributes);
  TRY_VOID(check_attributes(context.attributes, sizes, cell));
  const std::int64_t gates = cell.gates * sizes.hidden;
  TRY_VOID(require_shape(context, weights, {sizes.directions, gates, sizes.input}));
  TRY_VOID(require_shape(context, recurrence, {sizes.directions, gates, sizes.hidden}));
  TRY_VOID(require_shape(context, biases, {sizes.directions, 2 * gates}));
  TRY_VOID(require_shape(context, lengths, {sizes.batch}));
  TRY_VOID(require_shape(context, initial_h, sizes.state()));
  TRY_VOID(require_shape(context, initial_c, sizes.state()));
  TRY_VOID(require_shape(context, peepholes, {sizes.directions, 3 * sizes.hidden}));
  const DataType type = context.input(sequence).type;
  Types types{{type, sizes.sequence()}, {type, sizes.state()}, {type, sizes.state()}};
  types.resize(context.output_count);
  return types;
}

using Step = std::function<State(const Direction&, const State&, std::int64_t step)>;

// --- cells --------------------------------------------------------------------------------------

std::string at_step(const char* what, std::int64_t step) {
  return fmt::format("_{}{}", what, step);
}

State rnn_step(const Direction& direction, const State& before, std::int64_t step) {
  const te::Tensor product = direction.recurrent(at_step("product", step), before.h, 0, 1);
  return {
      direction.elementwise(at_step("h", step),
                            [&](const Expr& b, const Expr& j) {
                              const Expr updated = direction.activate(
                                  0, direction.driven(step, b, 0, j) + product({b, j}));
                              return direction.kept_when_over(step, b, updated, before.h({b, j}));
                            }),
      {}};
}

State gru_step(const Direction& direction, const State& before, std::int64_t step) {
  constexpr std::int64_t update = 0, reset = 1, hidden = 2;
  const bool resets_product = direction.attributes().integer("linear_before_reset") != 0;
  const te::Tensor product =
      direction.recurrent(at_step("product", step), before.h, update, resets_product ? 3 : 2);
  const auto gate = [&](std::int64_t which, const Expr& b, const Expr& j) {
    return direction.activate(
        0, direction.driven(step, b, which, j) + product({b, direction.row(which, j)}));
  };
  te::Tensor candidate_product;
  if (!resets_product) {
    const te::Tensor reset_state =
        direction.elementwise(at_step("reset", step), [&](const Expr& b, const Expr& j) {
          return gate(reset, b, j) * before.h({b, j});
        });
    candidate_product = direction.recurrent(at_step("candidate", step), reset_state, hidden, 1);
  }
  return {direction.elementwise(
              at_step("h", step),
              [&](const Expr& b, const Expr& j) {
                const Expr from_state =
                    resets_product
                        ? gate(reset, b, j) * (product({b, direction.row(hidden, j)}) +
                                               direction.recurrent_bias(hidden, j))
                        : candidate_product({b, j}) + direction.recurrent_bias(hidden, j);
                const Expr candidate =
                    direction.activate(1, direction.projected(step, b, hidden, j) +
                                              direction.input_bias(hidden, j) + from_state);
                const Expr z = gate(update, b, j), old = before.h({b, j});
                return direction.kept_when_over(step, b,
                                                (direction.one() - z) * candidate + z * old, old);
              }),
          {}};
}

State lstm_step(const Direction& direction, const State& before, std::int64_t step) {
  // The order of the gates, and the order of the peepholes.
  constexpr std::int64_t in = 0, out = 1, forget = 2, cell = 3;
  const te::Tensor product = direction.recurrent(at_step("product", step), before.h, in, 4);
  const auto sum = [&](std::int64_t gate, const Expr& b, const Expr& j) {
    return direction.driven(step, b, gate, j) + product({b, direction.row(gate, j)});
  };
  const te::Tensor c = direction.elementwise(at_step("c", step), [&](const Expr& b, const Expr& j) {
    const Expr old = before.c({b, j});
    const Expr i = direction.activate(0, sum(in, b, j) + direction.peephole(in, j, old));
    const bool coupled = direction.attributes().integer("input_forget") != 0;
    const Expr f =
        coupled ? direction.one() - i
                : direction.activate(0, sum(forget, b, j) + direction.peephole(forget, j, old));
    return direction.kept_when_over(step, b, f * old + i * direction.activate(1, sum(cell, b, j)),
                                    old);
  });
  return {direction.elementwise(at_step("h", step),
                                [&](const Expr& b, const Expr& j) {
                                  const Expr o = direction.activate(
                                      0, sum(out, b, j) + direction.peephole(out, j, c({b, j})));
                                  return direction.kept_when_over(
                                      step, b, o * direction.activate(2, c({b, j})),
                                      before.h({b, j}));
                                }),
          c};
}

// --- all steps, all directions ------------------------------------------------------------------

// alternatives[index], as a tree of selects.
Expr choose(const Expr& index, std::size_t first, std::size_t last,
            const std::function<Expr(std::size_t)>& alternative) {
  if (last - first == 1) return alternative(first);
  const std::size_t middle = first + (last - first) / 2;
  return expr::select(index < static_cast<std::int64_t>(middle),
                      choose(index, first, middle, alternative),
                      choose(index, middle, last, alternative));
}

// States by direction and time.
using Unrolled = std::vector<std::vector<State>>;

te::Tensor whole_sequence(ComputeContext& context, const Sizes& sizes, const Unrolled& states) {
  const DataType type = context.outputs[0].type;
  return context.builder.compute(
      context.name, te::extents(sizes.sequence()), [&](const Indices& i) {
        const Expr &t = i[sizes.batch_first ? 1 : 0], &d = i[sizes.batch_first ? 2 : 1],
                   &b = i[sizes.batch_first ? 0 : 2], &j = i[3];
        const Expr value = choose(t, 0, states[0].size(), [&](std::size_t step) {
          return choose(d, 0, states.size(), [&](std::size_t direction) {
            return expr::cast(type, states[direction][step].h({b, j}));
          });
        });
        if (!context.has(lengths)) return value;
        return expr::select(expr::cast(DataType::Int32, t) < context.input(lengths)({b}), value,
                            expr::constant(type, 0));
      });
}

te::Tensor last_state(ComputeContext& context, const Sizes& sizes, const std::string& suffix,
                      const std::vector<te::Tensor>& last) {
  return context.builder.compute(
      context.name + suffix, te::extents(sizes.state()), [&](const Indices& i) {
        const Expr &d = i[sizes.batch_first ? 1 : 0], &b = i[sizes.batch_first ? 0 : 1];
        return choose(d, 0, last.size(), [&](std::size_t direction) {
          return expr::cast(context.outputs[0].type, last[direction]({b, i[2]}));
        });
      });
}

Result<Computed> compute_recurrent(ComputeContext& context, const Cell& cell, const Step& step) {
  const Sizes sizes = sizes_of(shape_of(context.input(sequence)),
                               shape_of(context.input(recurrence)), context.attributes);
  const auto activations = TRY(cell_activations(context.attributes, cell.activations,
                                                static_cast<std::size_t>(sizes.directions)));
  Unrolled states;
  std::vector<te::Tensor> last_h, last_c;
  for (std::int64_t d = 0; d < sizes.directions; ++d) {
    const auto own = activations.begin() + d * std::ssize(cell.activations);
    const Direction direction(context, sizes, cell, d, {own, own + std::ssize(cell.activations)});
    State state{direction.initial(initial_h, "_h"),
                cell.has_cell_state ? direction.initial(initial_c, "_c") : te::Tensor()};
    std::vector<State> by_time(static_cast<std::size_t>(sizes.steps));
    for (std::int64_t k = 0; k < sizes.steps; ++k) {
      const std::int64_t time = direction.runs_backwards() ? sizes.steps - 1 - k : k;
      by_time[static_cast<std::size_t>(time)] = state = step(direction, state, time);
    }
    last_h.push_back(state.h);
    last_c.push_back(state.c);
    states.push_back(std::move(by_time));
  }
  Computed outputs{whole_sequence(context, sizes, states)};
  if (context.outputs.size() > 1) outputs.push_back(last_state(context, sizes, "_h", last_h));
  if (context.outputs.size() > 2) outputs.push_back(last_state(context, sizes, "_c", last_c));
  return outputs;
}

// --- the table ----------------------------------------------------------------------------------

OpDef recurrent_operator(const std::string& name, const std::string& doc, const Cell& cell,
                         const Step& step) {
  return {
      .name = name,
      .family = Family::Recurrent,
      .doc = doc,
      .inputs = {{"X", Arity::Required, "steps x batch x input"},
                 {"W", Arity::Required, "directions x gates * hidden x input"},
                 {"R", Arity::Required, "directions x gates * hidden x hidden"},
                 {"B", Arity::Optional, "directions x 2 * gates * hidden: of W, then of R"},
                 {"sequence_lens", Arity::Optional, "steps of each sequence; all by default"},
                 {"initial_h", Arity::Optional, "directions x batch x hidden; 0 by default"}},
      .outputs = {{"Y", Arity::Required, "steps x directions x batch x hidden: every state"},
                  {"Y_h", Arity::Optional, "directions x batch x hidden: the last state"}},
      .attributes = {optional_attribute("activation_alpha", AttributeKind::Floats,
                                        "parameters, by those activations that have them"),
                     optional_attribute("activation_beta", AttributeKind::Floats, "likewise"),
                     optional_attribute("activations", AttributeKind::Strings,
                                        "of each direction in turn"),
                     optional_attribute("clip", AttributeKind::Float,
                                        "what activations take is held within -clip and clip"),
                     attribute("direction", "forward", "forward, reverse or bidirectional"),
                     optional_attribute("hidden_size", AttributeKind::Int,
                                        "must be the weights' when given"),
                     attribute("layout", std::int64_t{0}, "1: the batch comes first")},
      .infer = [cell](const InferContext& context) { return infer_recurrent(context, cell); },
      .compute = [cell,
                  step](ComputeContext& context) { return compute_recurrent(context, cell, step); },
      .onnx = {{.name = name, .since = 7}}};
}

}  // namespace

std::vector<OpDef> recurrent() {
  OpDef rnn = recurrent_operator("RNN", "A simple recurrent network: h = f(W x + R h + b).",
                                 {1, {"Tanh"}, false}, rnn_step);
  OpDef gru = recurrent_operator(
      "GRU", "A recurrent network of gated units, which forget and remember by one gate.",
      {3, {"Sigmoid", "Tanh"}, false}, gru_step);
  gru.attributes.push_back(
      attribute("linear_before_reset", std::int64_t{0}, "1: the reset gate acts on R h, not on h"));
  OpDef lstm = recurrent_operator(
      "LSTM", "A recurrent network with long short-term memory: a cell behind three gates.",
      {4, {"Sigmoid", "Tanh", "Tanh"}, true}, lstm_step);
  lstm.inputs.push_back(
      {"initial_c", Arity::Optional, "directions x batch x hidden; 0 by default"});
  lstm.inputs.push_back(
      {"P", Arity::Optional,
       "directions x 3 * hidden: what input, output and forget gate see of the cell"});
  lstm.outputs.push_back(
      {"Y_c", Arity::Optional, "directions x batch x hidden: the last cell state"});
  lstm.attributes.push_back(
      attribute("input_forget", std::int64_t{0}, "1: the forget gate is 1 - the input gate"));
  return {rnn, gru, lstm};
}

}  // namespace loopglass::ops
