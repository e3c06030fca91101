// Lowered tensor expressions, interpreted, against their definition taken literally: every element
// by substituting its indices into the stage's body.
#include "core/expr/rewrite.h"
#include "core/loop/lower.h"
#include "loop_text.h"

#include <random>

namespace loopglass::loop {
namespace {

using Indices = te::Builder::Indices;

// Every index tuple below the extents, in row-major order.
template <class Visit>
void each_index(const Shape& shape, Visit&& visit) {
  std::vector<std::int64_t> index(shape.size(), 0);
  for (std::int64_t count = element_count(shape), k = 0; k < count; ++k) {
    visit(index, k);
    for (std::size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
  }
}

class Definition {
 public:
  explicit Definition(const te::Program& program) : program_(program) {}

  Tensor& operator[](const std::string& name) { return tensors_[name]; }

  void run() {
    for (const te::Stage& stage : program_.stages) {
      tensors_[stage.output.name] =
          Tensor(TensorType{stage.output.type, te::concrete(stage.output.shape)});
      each_index(te::concrete(stage.output.shape), [&](const auto& index, std::int64_t at) {
        put(tensors_[stage.output.name], at, element(stage, index));
      });
    }
  }

 private:
  Expr element(const te::Stage& stage, const std::vector<std::int64_t>& index) {
    std::map<std::string, Expr> names;
    for (std::size_t d = 0; d < index.size(); ++d)
      names.insert_or_assign(stage.axes[d].name, Expr(index[d]));
    if (!stage.reducer) return value(stage.body, names);
    Expr total = te::identity(*stage.reducer, stage.output.type);
    Shape extents;
    for (const te::Axis& axis : stage.reduce_axes)
      extents.push_back(*expr::as_integer(axis.extent));
    each_index(extents, [&](const auto& reduced, std::int64_t) {
      for (std::size_t d = 0; d < reduced.size(); ++d)
        names.insert_or_assign(stage.reduce_axes[d].name, Expr(reduced[d]));
      total = te::combine(*stage.reducer, total, value(stage.body, names));
    });
    return total;
  }

  // A constant: makers fold whatever has no load left in it. A load outside its tensor stays, in
  // the branch of a select that is not taken.
  Expr value(const Expr& body, const std::map<std::string, Expr>& names) {
    return expr::rewrite(expr::substitute(body, names), [&](const Expr& node) -> Expr {
      const auto* load = node.as<expr::Load>();
      if (!load) return {};
      const Tensor& tensor = tensors_.at(load->buffer);
      const auto strides = row_major_strides(tensor.shape());
      std::int64_t at = 0;
      for (std::size_t d = 0; d < load->indices.size(); ++d) {
        const auto index = expr::as_integer(load->indices[d]);
        if (!index || *index < 0 || *index >= tensor.shape()[d]) return {};
        at += *index * strides[d];
      }
      if (is_float(node.type())) return expr::floating(node.type(), tensor.double_at(at));
      return expr::integer(node.type(), tensor.integer_at(at));
    });
  }

  static void put(Tensor& tensor, std::int64_t at, const Expr& value) {
    visit_type(tensor.data_type(), [&](auto element) {
      using T = decltype(element);
      const auto* whole = value.as<expr::IntConstant>();
      const auto* real = value.as<expr::FloatConstant>();
      ASSERT_TRUE(whole || real) << to_string(value);
      tensor.as<T>()[static_cast<std::size_t>(at)] =
          whole ? static_cast<T>(whole->value) : static_cast<T>(real->value);
    });
  }

  const te::Program& program_;
  std::map<std::string, Tensor> tensors_;
};

class RandomPrograms {
 public:
  explicit RandomPrograms(unsigned seed) : random_(seed) {}

  te::Program program() {
    te::Builder builder;
    std::vector<te::Tensor> tensors;
    for (int k = 0; k < 2; ++k)
      tensors.push_back(builder.placeholder("X", type(), te::extents(shape())));
    for (int k = 0; k < 4; ++k) tensors.push_back(stage(builder, pick(tensors)));
    return std::move(builder).finish({tensors.back(), pick(tensors)});
  }

  void fill(Tensor& tensor) {
    visit_type(tensor.data_type(), [&](auto element) {
      for (auto& value : tensor.as<decltype(element)>())
        value = static_cast<decltype(element)>(between(-40, 40));
    });
  }

 private:
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  template <class T>
  T pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(from.size()) - 1))];
  }

  DataType type() {
    return pick<DataType>({DataType::Float32, DataType::Float64, DataType::Float16, DataType::Int8,
                           DataType::Int32, DataType::Int64, DataType::UInt8, DataType::UInt16});
  }
  Shape shape() {
    Shape result;
    for (std::int64_t rank = between(0, 3); rank > 0; --rank) result.push_back(between(1, 5));
    // Now and then more elements than the interpreter takes at a time.
    if (!result.empty() && between(0, 2) == 0)
      result[static_cast<std::size_t>(between(0, 2)) % result.size()] = between(60, 90);
    return result;
  }

  te::Tensor stage(te::Builder& builder, const te::Tensor& x) {
    switch (between(0, x.rank() == 0 ? 1 : 6)) {
      case 0: return elementwise(builder, x);
      case 1: {
        const DataType to = type();
        return builder.compute("cast", x.shape,
                               [&](const Indices& i) { return expr::cast(to, x(i)); });
      }
      case 2: return padded(builder, x);
      case 3: return flattened(builder, x);
      case 4: return reversed(builder, x);
      case 5: return window(builder, x);
      default: return reduced(builder, x);
    }
  }

  te::Tensor elementwise(te::Builder& builder, const te::Tensor& x) {
    using enum expr::BinaryOperator;
    const auto op =
        pick<expr::BinaryOperator>({Add, Sub, Mul, Div, Mod, FloorDiv, FloorMod, Min, Max});
    const Expr other = expr::constant(x.type, static_cast<double>(between(-3, 3)));
    return builder.compute("map", x.shape, [&](const Indices& i) {
      return expr::select(x(i) < other, expr::binary(op, x(i), other),
                          expr::unary(expr::UnaryOperator::Sign, x(i)) - x(i));
    });
  }

  te::Tensor padded(te::Builder& builder, const te::Tensor& x) {
    std::vector<Expr> shape;
    for (const Expr& extent : x.shape) shape.push_back(extent + 2);
    return builder.compute("pad", shape, [&](const Indices& i) {
      Expr inside = expr::boolean(true);
      Indices source;
      for (std::size_t d = 0; d < i.size(); ++d) {
        inside = inside && i[d] >= 1 && i[d] < x.shape[d] + 1;
        source.push_back(i[d] - 1);
      }
      return expr::select(inside, x(source), expr::constant(x.type, 7));
    });
  }

  te::Tensor flattened(te::Builder& builder, const te::Tensor& x) {
    const Shape shape = te::concrete(x.shape);
    const auto strides = row_major_strides(shape);
    return builder.compute("flat", te::extents({element_count(shape)}), [&](const Indices& i) {
      Indices source;
      for (std::size_t d = 0; d < shape.size(); ++d)
        source.push_back(expr::floor_mod(expr::floor_div(i[0], Expr(strides[d])), Expr(shape[d])));
      return x(source);
    });
  }

  te::Tensor reversed(te::Builder& builder, const te::Tensor& x) {
    std::vector<Expr> shape(x.shape.rbegin(), x.shape.rend());
    return builder.compute("turn", shape, [&](const Indices& i) {
      Indices source(i.rbegin(), i.rend());
      source[0] = x.shape[0] - 1 - source[0];
      return x(source);
    });
  }

  // A sliding sum over the last dimension, guarded at the end.
  te::Tensor window(te::Builder& builder, const te::Tensor& x) {
    return builder.reduce("window", x.shape, te::extents({3}), te::Reducer::Sum,
                          [&](const Indices& i, const Indices& r) {
                            Indices source = i;
                            source.back() = source.back() + r[0];
                            return expr::select(source.back() < x.shape.back(), x(source),
                                                expr::constant(x.type, 0));
                          });
  }

  te::Tensor reduced(te::Builder& builder, const te::Tensor& x) {
    const auto reducer = pick<te::Reducer>(
        {te::Reducer::Sum, te::Reducer::Product, te::Reducer::Min, te::Reducer::Max});
    const auto kept = static_cast<std::size_t>(between(0, static_cast<std::int64_t>(x.rank()) - 1));
    const std::vector<Expr> outer(x.shape.begin(),
                                  x.shape.begin() + static_cast<std::ptrdiff_t>(kept));
    const std::vector<Expr> inner(x.shape.begin() + static_cast<std::ptrdiff_t>(kept),
                                  x.shape.end());
    return builder.reduce("reduce", outer, inner, reducer, [&](const Indices& i, const Indices& r) {
      Indices source = i;
      source.insert(source.end(), r.begin(), r.end());
      return x(source);
    });
  }

  std::mt19937 random_;
};

TEST(RandomPrograms, MeanWhatTheirDefinitionSays) {
  RandomPrograms random(5);
  for (int round = 0; round < 300; ++round) {
    const te::Program program = random.program();
    const Func func = lower(program, "random");
    ASSERT_TRUE(verify(func)) << to_string(verify(func).error());
    Definition definition(program);
    std::vector<Tensor> arguments;
    for (const Buffer& parameter : func.parameters)
      arguments.emplace_back(TensorType{parameter.type, te::concrete(parameter.shape)});
    for (std::size_t k = 0; k < program.inputs.size(); ++k) {
      random.fill(arguments[k]);
      definition[program.inputs[k].name] = arguments[k];
    }
    definition.run();
    interpret(func, arguments);
    for (std::size_t k = 0; k < program.outputs.size(); ++k)
      ASSERT_TRUE(arguments[program.inputs.size() + k].same_content(definition[program.outputs[k]]))
          << "output " << k << " of\n"
          << te::to_string(program);
  }
}

TEST(RandomPrograms, ReadBackFromTheirText) {
  RandomPrograms random(6);
  for (int round = 0; round < 200; ++round) {
    const std::string text = to_text(lower(random.program(), "random"));
    const auto parsed = parse(text);
    ASSERT_TRUE(parsed) << to_string(parsed.error()) << "\n" << text;
    ASSERT_EQ(to_text(*parsed), text);
  }
}

}  // namespace
}  // namespace loopglass::loop
