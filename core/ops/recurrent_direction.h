// One direction of a recurrent network, unrolled: what the cells of RNN, GRU and LSTM are written
// in.
#pragma once

#include "core/ops/recurrent_activation.h"

namespace loopglass::ops {

struct Sizes {
  std::int64_t steps, batch, input, hidden, directions;
  bool batch_first;

  Shape state() const {
    return batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  }
  Shape sequence() const {
    return batch_first ? Shape{batch, steps, directions, hidden}
                       : Shape{steps, directions, batch, hidden};
  }
};

// What tells the cells apart. Gates are in ONNX's order: RNN i; GRU z, r, h; LSTM i, o, f, c.
struct Cell {
  std::int64_t gates;
  std::vector<std::string> activations;  // by default, of one direction
  bool has_cell_state;
};

// The inputs, in ONNX's order.
enum Input : std::size_t {
  sequence = 0,
  weights = 1,
  recurrence = 2,
  biases = 3,
  lengths = 4,
  initial_h = 5,
  initial_c = 6,
  peepholes = 7
};

struct State {
  te::Tensor h, c;  // batch x hidden; c only in an LSTM
};

class Direction {
 public:
  Direction(ComputeContext& context, const Sizes& sizes, const Cell& cell, std::int64_t number,
            std::vector<CellActivation> activations)
      : builder(context.builder),
        name(context.name + (number == 0 ? "_first" : "_second")),
        context_(context),
        sizes_(sizes),
        cell_(cell),
        number_(number),
        activations_(std::move(activations)),
        type_(accumulator_type(context.input(sequence).type)) {
    const te::Tensor &x = context.input(sequence), &w = context.input(weights);
    projected_ = builder.reduce(
        name + "_input", te::extents({sizes.steps, sizes.batch, cell.gates * sizes.hidden}),
        {sizes.input}, te::Reducer::Sum, [&](const Indices& i, const Indices& r) {
          return widened(sizes.batch_first ? x({i[1], i[0], r[0]}) : x({i[0], i[1], r[0]})) *
                 widened(w({number, i[2], r[0]}));
        });
  }

  bool runs_backwards() const {
    return number_ == 1 || context_.attributes.string("direction") == "reverse";
  }

  te::Tensor initial(std::size_t input, const std::string& suffix) const {
    return elementwise(suffix, [&](const Expr& b, const Expr& j) {
      if (!context_.has(input)) return zero();
      return widened(sizes_.batch_first ? context_.input(input)({b, number_, j})
                                        : context_.input(input)({number_, b, j}));
    });
  }

  // A tensor of the state's shape.
  te::Tensor elementwise(const std::string& suffix,
                         const std::function<Expr(const Expr& b, const Expr& j)>& body) const {
    return builder.compute(name + suffix, te::extents({sizes_.batch, sizes_.hidden}),
                           [&](const Indices& i) { return body(i[0], i[1]); });
  }

  // The state times the recurrence weights of `count` gates from `first` on.
  te::Tensor recurrent(const std::string& suffix, const te::Tensor& state, std::int64_t first,
                       std::int64_t count) const {
    const te::Tensor& r = context_.input(recurrence);
    return builder.reduce(
        name + suffix, te::extents({sizes_.batch, count * sizes_.hidden}), {sizes_.hidden},
        te::Reducer::Sum, [&](const Indices& i, const Indices& k) {
          return state({i[0], k[0]}) * widened(r({number_, i[1] + first * sizes_.hidden, k[0]}));
        });
  }

  Expr projected(std::int64_t step, const Expr& b, std::int64_t gate, const Expr& j) const {
    return projected_({step, b, row(gate, j)});
  }
  Expr input_bias(std::int64_t gate, const Expr& j) const { return bias(row(gate, j)); }
  Expr recurrent_bias(std::int64_t gate, const Expr& j) const {
    return bias(row(gate + cell_.gates, j));
  }
  // Everything a gate sums but its share of the state.
  Expr driven(std::int64_t step, const Expr& b, std::int64_t gate, const Expr& j) const {
    const Expr input = projected(step, b, gate, j);
    return context_.has(biases) ? input + input_bias(gate, j) + recurrent_bias(gate, j) : input;
  }
  Expr row(std::int64_t gate, const Expr& j) const { return j + gate * sizes_.hidden; }
  Expr peephole(std::int64_t gate, const Expr& j, const Expr& cell) const {
    return context_.has(peepholes)
               ? widened(context_.input(peepholes)({number_, row(gate, j)})) * cell
               : zero();
  }
  Expr activate(std::size_t which, Expr x) const {
    if (context_.attributes.has("clip")) {
      const Expr bound = expr::constant(type_, context_.attributes.real("clip"));
      x = expr::max(expr::min(x, bound), -bound);
    }
    return activations_[which](x);
  }
  // A sequence that is over keeps its state; one read backwards has not begun.
  Expr kept_when_over(std::int64_t step, const Expr& b, const Expr& updated,
                      const Expr& before) const {
    if (!context_.has(lengths)) return updated;
    return expr::select(expr::integer(DataType::Int32, step) < context_.input(lengths)({b}),
                        updated, before);
  }
  Expr zero() const { return expr::constant(type_, 0); }
  Expr one() const { return expr::constant(type_, 1); }
  const Attributes& attributes() const { return context_.attributes; }

  te::Builder& builder;
  std::string name;

 private:
  Expr bias(const Expr& at) const {
    return context_.has(biases) ? widened(context_.input(biases)({number_, at})) : zero();
  }

  ComputeContext& context_;
  const Sizes& sizes_;
  const Cell& cell_;
  std::int64_t number_;
  std::vector<CellActivation> activations_;
  DataType type_;
  te::Tensor projected_;
};

}  // namespace loopglass::ops
