// A use of a contributed operator: which operands it is given, of what types, with which
// attributes. What a function's text (function.h) is written for.
#pragma once

#include "core/ops/attributes.h"
#include "core/support/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopglass::contributed {

class Call {
 public:
  struct Operand {
    std::string name;                // as the function calls it
    std::optional<TensorType> type;  // none: left out
    std::optional<std::int64_t> number = {};
  };
  Call(std::vector<Operand> operands, const ops::Attributes& attributes, std::size_t outputs)
      : operands_(std::move(operands)), attributes_(attributes), outputs_(outputs) {}

  const std::vector<Operand>& operands() const { return operands_; }
  std::size_t outputs() const { return outputs_; }  // trailing ones that are left out not counted

  bool has(std::string_view operand) const;
  // "" where it is left out, as ONNX writes it: for operators that may go without, too.
  std::string or_none(std::string_view operand) const;
  // CHECK that it is there.
  DataType type(std::string_view operand) const;
  const Shape& shape(std::string_view operand) const;
  std::int64_t extent(std::string_view operand, int axis) const;  // negative: from the end

  // The operand's only element, where it is known at import and the function asks for it
  // (Function::numbers).
  std::optional<std::int64_t> known(std::string_view operand) const;
  void set_known(std::size_t operand, std::int64_t number) { operands_[operand].number = number; }
  // Of what the operands' data decide (Function::count).
  const std::vector<std::int64_t>& counts() const { return counts_; }
  void set_counts(std::vector<std::int64_t> counts) { counts_ = std::move(counts); }

  // OperatorUnsupported where the operand, which is there, has not this many axes.
  Result<void> require_rank(std::string_view operand, std::size_t rank) const;
  // OperatorMisused where the operand, which is there, is not repeated to this shape as it is.
  Result<void> require_broadcasts(std::string_view operand, const Shape& to) const;

  bool has_attribute(const std::string& name) const { return attributes_.has(name); }
  // The attribute, or `fallback` where it is not given or of another kind.
  std::int64_t integer(const std::string& name, std::int64_t fallback) const;
  double real(const std::string& name, double fallback) const;
  std::string word(const std::string& name, std::string fallback) const;
  std::vector<std::int64_t> integers(const std::string& name) const;
  std::vector<double> reals(const std::string& name) const;
  // The attributes as the text refers to them, which takes their values as they are, whatever these
  // are: those of `names` that are given, "<pads = @pads, group = @group>", or "".
  std::string passing_on(const std::vector<std::string>& names) const;
  // The same of those that every window has (auto_pad, kernel_shape, pads, strides) and of `more`.
  std::string passing_on_window(std::vector<std::string> more) const;
  // "@alpha", or the number that stands for it where it is not given.
  std::string attribute_or(const std::string& name, double fallback) const;

 private:
  const Operand* find(std::string_view operand) const;

  std::vector<Operand> operands_;
  const ops::Attributes& attributes_;
  std::size_t outputs_;
  std::vector<std::int64_t> counts_;
};

}  // namespace loopglass::contributed
