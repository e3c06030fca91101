// Operators on tensors whose dimensions lie in another order than the logical one: LayoutTransform,
// which moves from one to another, and forms of convolution, pooling and batch normalisation that
// read and write such tensors.
//
// A form is derived from its operator: `infer` sees the logical shapes, and `compute` is the
// operator's own, each stage walked in the order of its layout. So what a convolution is stands in
// convolution.cpp alone.
#include "core/ops/layout_forms.h"

#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/ops/families.h"
#include "core/ops/registry.h"
#include "core/ops/support.h"
#include "core/support/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace loopglass::ops {

namespace {

// --- index maps ---------------------------------------------------------------------------------

// Where a logical element lies.
Indices physical_indices(const Layout& layout, const Indices& logical) {
  Indices result;
  for (const Layout::Dimension& dimension : layout.dimensions()) {
    const std::int64_t block = layout.block(dimension.axis);
    const Expr& index = logical[dimension.axis];
    result.push_back(block == 1            ? index
                     : dimension.block > 0 ? expr::floor_mod(index, block)
                                           : expr::floor_div(index, block));
  }
  return result;
}

// What lies at these physical indices.
Indices logical_indices(const Layout& layout, const Indices& physical) {
  Indices result(layout.rank(), Expr(0));
  for (std::size_t d = 0; d < physical.size(); ++d) {
    const Layout::Dimension& dimension = layout.dimensions()[d];
    Expr& index = result[dimension.axis];
    index =
        index + (dimension.block > 0 ? physical[d] : physical[d] * layout.block(dimension.axis));
  }
  return result;
}

// Every variable from 0 up to its extent.
void add_ranges(expr::Ranges& ranges, const Indices& variables, const std::vector<Expr>& extents) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto* variable = variables[i].as<expr::Variable>();
    const auto extent = expr::as_integer(extents[i]);
    if (variable != nullptr && extent && *extent > 0) ranges[variable->name] = {0, *extent - 1};
  }
}

Result<Layout> layout_attribute(const Attributes& attributes, const std::string& name) {
  auto layout = Layout::parse(attributes.string(name));
  if (!layout) return unsupported_attribute(layout.error().what);
  return layout;
}

// --- replaying a program in layouts -------------------------------------------------------------

// One axis of a reduction, or one of the two parts of an axis that is walked block by block.
struct ReducePart {
  std::size_t axis;  // of the original reduction
  std::int64_t extent;
  std::int64_t factor;  // how far one step moves the original index
  std::size_t order;    // parts stand as the dimensions of the tensor they walk
};

// Writes the stages of a program over logical tensors into a builder, each tensor in its layout.
class Replay {
 public:
  explicit Replay(te::Builder& builder) : builder_(builder) {}

  // A tensor of the program is this one, in `layout` unless there is none.
  void bind(const std::string& logical, te::Tensor actual, std::optional<Layout> layout) {
    tensors_.insert_or_assign(logical, Bound{std::move(actual), std::move(layout)});
  }
  const te::Tensor& at(const std::string& logical) const { return tensors_.at(logical).tensor; }

  Result<void> stage(const te::Stage& stage, const std::optional<Layout>& layout) {
    std::vector<Expr> shape = stage.output.shape;
    if (layout) shape = te::extents(TRY(layout->physical(te::concrete(shape))));
    const std::vector<ReducePart> parts = parts_of(stage);
    std::vector<Expr> reduced;
    for (const ReducePart& part : parts) reduced.emplace_back(part.extent);
    const auto body = [&](const Indices& i, const Indices& r) {
      expr::Ranges ranges;
      add_ranges(ranges, i, shape);
      add_ranges(ranges, r, reduced);
      std::map<std::string, Expr> variables;
      const Indices logical = layout ? logical_indices(*layout, i) : i;
      for (std::size_t d = 0; d < logical.size(); ++d) variables[stage.axes[d].name] = logical[d];
      for (std::size_t p = 0; p < parts.size(); ++p) {
        Expr& index = variables[stage.reduce_axes[parts[p].axis].name];
        const Expr term = r[p] * parts[p].factor;
        index = index.defined() ? index + term : term;
      }
      return moved(expr::substitute(stage.body, variables), ranges);
    };
    bind(stage.output.name,
         stage.reducer ? builder_.reduce(stage.output.name, shape, reduced, *stage.reducer, body)
                       : builder_.compute(stage.output.name, shape,
                                          [&](const Indices& i) { return body(i, {}); }),
         layout);
    return {};
  }

 private:
  struct Bound {
    te::Tensor tensor;
    std::optional<Layout> layout;
  };

  // The expression with every load made from where its element lies now.
  Expr moved(const Expr& body, const expr::Ranges& ranges) const {
    return expr::rewrite(body, [&](const Expr& e) -> Expr {
      const auto* load = e.as<expr::Load>();
      if (load == nullptr) return {};
      const Bound& source = tensors_.at(load->buffer);
      Indices indices =
          source.layout ? physical_indices(*source.layout, load->indices) : load->indices;
      for (Expr& index : indices) index = expr::simplify(index, ranges);
      return source.tensor(std::move(indices));
    });
  }

  // An axis that walks the channels of a tensor in blocks becomes two, and all stand in the order
  // of the dimensions they walk, so that the innermost loop moves to a neighbour in memory.
  std::vector<ReducePart> parts_of(const te::Stage& stage) const {
    const std::optional<std::pair<const expr::Load*, const Layout*>> walked = first_laid_out(stage);
    std::vector<ReducePart> parts;
    for (std::size_t axis = 0; axis < stage.reduce_axes.size(); ++axis) {
      const std::int64_t extent = te::concrete({stage.reduce_axes[axis].extent})[0];
      std::vector<ReducePart> own;
      if (walked)
        for (std::size_t d = 0; d < walked->second->dimensions().size(); ++d) {
          const Layout::Dimension& dimension = walked->second->dimensions()[d];
          const Expr& index = walked->first->indices[dimension.axis];
          if (!expr::uses_variable(index, stage.reduce_axes[axis].name)) continue;
          const std::int64_t block = walked->second->block(dimension.axis);
          const bool in_blocks = block > 1 && extent % block == 0;
          if (dimension.block > 0 && !in_blocks) continue;
          own.push_back({axis,
                         dimension.block > 0 ? block
                         : in_blocks         ? extent / block
                                             : extent,
                         in_blocks && dimension.block == 0 ? block : 1, d});
        }
      if (own.empty()) own.push_back({axis, extent, 1, parts.size()});
      parts.insert(parts.end(), own.begin(), own.end());
    }
    std::ranges::stable_sort(parts, {}, &ReducePart::order);
    return parts;
  }

  std::optional<std::pair<const expr::Load*, const Layout*>> first_laid_out(
      const te::Stage& stage) const {
    std::optional<std::pair<const expr::Load*, const Layout*>> found;
    expr::visit(stage.body, [&](const Expr& e) {
      const auto* load = e.as<expr::Load>();
      if (load == nullptr || found) return;
      if (const Bound& bound = tensors_.at(load->buffer); bound.layout)
        found = {load, &*bound.layout};
    });
    return found;
  }

  te::Builder& builder_;
  std::unordered_map<std::string, Bound> tensors_;
};

// --- forms --------------------------------------------------------------------------------------

// Which attribute says the layout of which operand; the others are as they always are.
struct Form {
  OpDef base;
  std::vector<std::string> input_layouts;    // of the leading inputs
  std::optional<std::string> output_layout;  // nothing: the result is as it always is
};

Result<std::optional<Layout>> output_layout(const Form& form, const Attributes& attributes) {
  if (!form.output_layout) return std::nullopt;
  return TRY(layout_attribute(attributes, *form.output_layout));
}

Result<Types> infer_form(const Form& form, const InferContext& context) {
  std::vector<TensorType> logical(context.inputs.size());
  std::vector<const TensorType*> inputs(context.inputs.begin(), context.inputs.end());
  for (std::size_t k = 0; k < form.input_layouts.size() && k < inputs.size(); ++k) {
    const Layout layout = TRY(layout_attribute(context.attributes, form.input_layouts[k]));
    logical[k] = {context.input(k).type, TRY(layout.logical(context.input(k).shape))};
    inputs[k] = &logical[k];
  }
  Types outputs = TRY(form.base.infer({inputs, context.attributes, context.output_count}));
  if (const auto layout = TRY(output_layout(form, context.attributes)))
    outputs[0].shape = TRY(layout->physical(outputs[0].shape));
  return outputs;
}

Result<Computed> compute_form(const Form& form, ComputeContext& context) {
  const std::optional<Layout> result = TRY(output_layout(form, context.attributes));
  te::Builder logical;
  Replay replay(context.builder);
  std::vector<te::Tensor> inputs;
  std::optional<Layout> first;
  for (std::size_t k = 0; k < context.inputs.size(); ++k) {
    inputs.emplace_back();
    if (!context.has(k)) continue;
    const te::Tensor& actual = context.input(k);
    std::optional<Layout> layout;
    if (k < form.input_layouts.size())
      layout = TRY(layout_attribute(context.attributes, form.input_layouts[k]));
    if (k == 0) first = layout;
    const Shape shape = shape_of(actual);
    inputs.back() = logical.placeholder(
        fmt::format("input_{}", k), {actual.type, layout ? TRY(layout->logical(shape)) : shape});
    replay.bind(inputs.back().name, actual, layout);
  }
  Types outputs{context.outputs[0]};
  if (result) outputs[0].shape = TRY(result->logical(outputs[0].shape));
  ComputeContext inner{logical, inputs, outputs, context.attributes, context.name};
  const Computed computed = TRY(form.base.compute(inner));
  const te::Program program = std::move(logical).finish(computed);
  bool reduced = false;
  for (const te::Stage& stage : program.stages) {
    reduced = reduced || stage.reducer.has_value();
    const std::optional<Layout>& layout = reduced || !first ? result : first;
    const bool is_image = layout && stage.output.rank() == layout->rank();
    TRY_VOID(replay.stage(stage, is_image ? layout : std::nullopt));
  }
  return Computed{replay.at(program.outputs[0])};
}

AttributeSpec layout_of(std::string name, std::string what) {
  return required_attribute(
      std::move(name), AttributeKind::String,
      fmt::format("in which the dimensions of {} lie: NCHW, NHWC, NCHW16c", what));
}

std::string form_name(const OpDef& base) { return "Layout" + base.name; }

OpDef form_of(OpDef base, std::vector<std::string> input_layouts,
              std::optional<std::string> output_layout, std::vector<AttributeSpec> layouts) {
  OpDef op = base;
  op.name = form_name(base);
  op.doc = fmt::format("{} of tensors whose dimensions lie in another order.", base.name);
  op.onnx.clear();
  op.outputs.resize(1);
  for (std::size_t k = 0; k < input_layouts.size(); ++k)
    op.inputs[k].doc += ", as the layout orders them";
  if (output_layout) op.outputs[0].doc += ", as the layout orders them";
  op.attributes.insert(op.attributes.end(), layouts.begin(), layouts.end());
  const auto form = std::make_shared<const Form>(
      Form{std::move(base), std::move(input_layouts), std::move(output_layout)});
  op.infer = [form](const InferContext& context) { return infer_form(*form, context); };
  op.compute = [form](ComputeContext& context) { return compute_form(*form, context); };
  return op;
}

OpDef row(const std::vector<OpDef>& table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &OpDef::name);
  CHECK(found != table.end(), fmt::format("no operator '{}' to derive a form from", name));
  return *found;
}

// --- LayoutTransform ----------------------------------------------------------------------------

constexpr const char* transform_name = "LayoutTransform";

Result<LayoutMove> move_of(const Attributes& attributes) {
  Layout from = TRY(layout_attribute(attributes, "from"));
  Layout to = TRY(layout_attribute(attributes, "to"));
  LayoutMove move{std::move(from), std::move(to)};
  if (move.from.rank() != move.to.rank())
    return misused(
        fmt::format("{} and {} have not the same axes", move.from.text(), move.to.text()));
  return move;
}

Result<Types> infer_transform(const InferContext& context) {
  const LayoutMove move = TRY(move_of(context.attributes));
  return Types{{context.input(0).type,
                TRY(move.to.physical(TRY(move.from.logical(context.input(0).shape))))}};
}

Result<Computed> compute_transform(ComputeContext& context) {
  const LayoutMove move = TRY(move_of(context.attributes));
  const std::vector<Expr> shape = te::extents(context.outputs[0].shape);
  return Computed{context.builder.compute(context.name, shape, [&](const Indices& i) {
    expr::Ranges ranges;
    add_ranges(ranges, i, shape);
    Indices source = physical_indices(move.from, logical_indices(move.to, i));
    for (Expr& index : source) index = expr::simplify(index, ranges);
    return context.input(0)(std::move(source));
  })};
}

OpDef layout_transform() {
  return {
      .name = transform_name,
      .family = Family::Movement,
      .doc = "The same tensor with its dimensions in another order, channels perhaps in blocks.",
      .inputs = {{"X", Arity::Required, "as `from` orders it"}},
      .outputs = {{"Y", Arity::Required, "as `to` orders it"}},
      .attributes = {required_attribute("from", AttributeKind::String,
                                        "layout of X: NCHW, NHWC, NCHW16c, OIHW"),
                     required_attribute("to", AttributeKind::String,
                                        "layout of Y: the same axes as NCHW, NHWC, ...")},
      .infer = infer_transform,
      .compute = compute_transform,
      .onnx = {},
      .relay_kind = PatternKind::Injective};
}

}  // namespace

const OpDef* layout_form_of(const OpDef& op) { return find_operator(form_name(op)); }

Attributes in_layout(Attributes attributes, const Layout& data) {
  attributes.set("layout", data.text());
  return attributes;
}

Attributes in_layouts(Attributes attributes, const Layout& data, const Layout& weights,
                      const Layout& result) {
  attributes = in_layout(std::move(attributes), data);
  attributes.set("weights_layout", weights.text());
  attributes.set("result_layout", result.text());
  return attributes;
}

std::optional<LayoutMove> layout_move_of(const OpDef& op, const Attributes& attributes) {
  if (op.name != transform_name) return std::nullopt;
  auto move = move_of(attributes);
  CHECK(move.has_value(), "a transform between layouts that are none");
  return *std::move(move);
}

std::optional<Layout> result_layout_of(const OpDef& op, const Attributes& attributes) {
  if (const auto move = layout_move_of(op, attributes)) return move->to;
  // ONNX's own operators have none, whatever they call a layout: of recurrent layers it is a
  // number.
  if (!op.onnx.empty()) return std::nullopt;
  for (const char* name : {"result_layout", "layout"})
    if (std::ranges::find(op.attributes, name, &AttributeSpec::name) != op.attributes.end() &&
        attributes.has(name))
      return Layout::of(attributes.string(name));
  return std::nullopt;
}

std::vector<OpDef> layout_forms() {
  const std::vector<OpDef> convolutions = convolution(), pools = pooling(),
                           normalisations = normalisation(), winograd = winograd_operators();
  const AttributeSpec layout = layout_of("layout", "X");
  std::vector<OpDef> operators{
      layout_transform(),
      form_of(row(convolutions, "Conv"), {"layout", "weights_layout"}, "result_layout",
              {layout, layout_of("result_layout", "Y"),
               attribute("weights_layout", "OIHW",
                         "in which the dimensions of W lie: OIHW, OIHW16i16o")})};
  for (const char* name : {"MaxPool", "AveragePool", "GlobalMaxPool", "GlobalAveragePool"})
    operators.push_back(form_of(row(pools, name), {"layout"}, "layout", {layout}));
  operators.push_back(
      form_of(row(normalisations, "BatchNormalization"), {"layout"}, "layout", {layout}));
  operators.push_back(form_of(row(winograd, "WinogradInput"), {"image_layout"}, std::nullopt,
                              {layout_of("image_layout", "X")}));
  operators.push_back(form_of(row(winograd, "WinogradOutput"), {}, "result_layout",
                              {layout_of("result_layout", "Y")}));
  return operators;
}

}  // namespace loopglass::ops
