// Tensor expressions: what an operator computes, element by element, with no order yet.
//
// A Program is a list of stages in dependence order. Each Stage defines one tensor by
//   output[axes] = body                        (no reducer), or
//   output[axes] = reducer over reduce_axes of body.
// Bodies are scalar expressions whose Loads name earlier tensors of the program. Extents are int64
// expressions and may contain symbols (free variables, listed in Program::symbols).
// lower (core/loop/lower.h) turns each stage into one block of a loop nest.
#pragma once

#include "core/expr/expr.h"
#include "core/support/origin.h"
#include "core/tensor/tensor.h"

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace loopglass::te {

using expr::Expr;

struct Tensor {
  std::string name;
  DataType type = DataType::Float32;
  std::vector<Expr> shape;

  bool defined() const { return !name.empty(); }
  std::size_t rank() const { return shape.size(); }
  // The element at these indices.
  Expr operator()(std::vector<Expr> indices) const;
};

struct Axis {
  std::string name;
  Expr extent;
};

// All associative and commutative; floating-point sums reassociate, and remarks say so.
enum class Reducer : std::uint8_t { Sum, Product, Min, Max, And, Or };
Expr identity(Reducer reducer, DataType type);
Expr combine(Reducer reducer, Expr accumulated, Expr next);
bool reduces(Reducer reducer, DataType type);  // whether it combines such elements
std::string_view name(Reducer reducer);

struct Stage {
  Tensor output;
  std::vector<Axis> axes;         // one per output dimension
  std::vector<Axis> reduce_axes;  // empty iff there is no reducer
  std::optional<Reducer> reducer;
  Expr body;      // of the output's element type
  Origin origin;  // graph nodes (NodeId values)
};

struct Program {
  std::vector<std::string> symbols;
  std::vector<Tensor> inputs;
  std::vector<Stage> stages;
  std::vector<std::string> outputs;  // names of stages' (or inputs') tensors

  const Stage* stage(std::string_view tensor) const;
};

std::string to_string(const Program& program);

// Builds a Program. Names asked for are made unique by a suffix; axes are called i0, i1, ... and
// reduction axes r0, r1, ... within their stage.
class Builder {
 public:
  using Indices = std::vector<Expr>;

  Tensor placeholder(std::string name, DataType type, std::vector<Expr> shape);
  Tensor placeholder(std::string name, const TensorType& type);
  Tensor compute(std::string name, std::vector<Expr> shape,
                 const std::function<Expr(const Indices& i)>& body);
  Tensor reduce(std::string name, std::vector<Expr> shape, std::vector<Expr> reduce_extents,
                Reducer reducer,
                const std::function<Expr(const Indices& i, const Indices& r)>& body);

  // Every stage made from now on comes from here.
  void set_origin(Origin origin) { origin_ = std::move(origin); }
  // A symbolic extent.
  Expr symbol(std::string name);
  Program finish(std::vector<Tensor> outputs) &&;

 private:
  std::string unique(std::string name);

  Program program_;
  Origin origin_;
  std::set<std::string> names_;
};

// Concrete extents as expressions, and back (CHECKs that they are constant).
std::vector<Expr> extents(const Shape& shape);
Shape concrete(const std::vector<Expr>& shape);

}  // namespace loopglass::te
