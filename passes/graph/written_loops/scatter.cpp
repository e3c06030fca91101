#include "passes/graph/written_loops/scatter.h"

#include "core/ops/registry.h"
#include "core/ops/support.h"
#include "passes/graph/written_loops/nest_text.h"

#include <numeric>

namespace loopglass::passes::written_loops {

namespace {

bool is_scatter_nd(const graph::Node& node) {
  static const ops::OpDef* const op = ops::find_operator("ScatterND");
  return node.op == op;
}
bool is_scatter_elements(const graph::Node& node) {
  static const ops::OpDef* const op = ops::find_operator("ScatterElements");
  return node.op == op;
}

std::string combined(const std::string& reduction, const std::string& with,
                     const std::string& update) {
  if (reduction == "add") return fmt::format("{} + {}", with, update);
  if (reduction == "mul") return fmt::format("{} * {}", with, update);
  if (reduction == "none") return update;
  return fmt::format("{}({}, {})", reduction, with, update);
}

// Where an update goes along these dimensions of data.
struct Target {
  std::vector<std::string> indices;  // elements of `indices`
  Shape extents;
};

// The places, counted from the front, and the block that runs where all of them are inside.
void open_target(NestText& nest, const Target& target) {
  nest.line("alloc at: int64[{}] stack", target.indices.size());
  std::vector<std::string> inside;
  for (std::size_t j = 0; j < target.indices.size(); ++j) {
    const std::string index = fmt::format("int64({})", target.indices[j]);
    nest.line("at[{}] = select({} < 0, {} + {}, {})", j, index, index, target.extents[j], index);
    inside.push_back(fmt::format("at[{}] >= 0 and at[{}] < {}", j, j, target.extents[j]));
  }
  nest.open("if {} {{", fmt::join(inside, " and "));
}

void store_elements(NestText& nest, std::size_t axis, const TensorType& data,
                    const TensorType& indices, const std::string& reduction) {
  const std::vector<std::string> update = variables("u", indices.shape.size());
  open_loops(nest, "u", indices.shape, [&](std::size_t d) { return d != axis; });
  open_target(nest, {{element("indices", update)}, {data.shape[axis]}});
  std::vector<std::string> place = update;
  place[axis] = "at[0]";
  const std::string y = element("y", place);
  nest.line("{} = {}", y, combined(reduction, y, element("updates", update)));
  nest.close(1 + indices.shape.size());
}

void store_slices(NestText& nest, const TensorType& data, const TensorType& indices,
                  const std::string& reduction) {
  const auto tuple = static_cast<std::size_t>(indices.shape.back());
  const Shape updates(indices.shape.begin(), indices.shape.end() - 1);
  open_loops(nest, "u", updates, [](std::size_t) { return false; });
  std::vector<std::string> update = variables("u", updates.size()), place;
  Target target;
  for (std::size_t j = 0; j < tuple; ++j) {
    std::vector<std::string> index = update;
    index.push_back(fmt::format("{}", j));
    target.indices.push_back(element("indices", index));
    target.extents.push_back(data.shape[j]);
    place.push_back(fmt::format("at[{}]", j));
  }
  open_target(nest, target);
  for (std::size_t d = tuple; d < data.shape.size(); ++d) {
    nest.open("for s{} in {} {{", d, data.shape[d]);
    update.push_back(fmt::format("s{}", d));
    place.push_back(update.back());
  }
  const std::string y = element("y", place);
  nest.line("{} = {}", y, combined(reduction, y, element("updates", update)));
  nest.close(1 + updates.size() + data.shape.size() - tuple);
}

}  // namespace

bool is_scatter(const graph::Node& node) {
  return is_scatter_elements(node) || is_scatter_nd(node);
}

std::int64_t searched_by_scatter(const graph::Node& node, const TensorType& data,
                                 const TensorType& indices) {
  if (is_scatter_elements(node))
    return indices.shape[ops::axis_of(node.attributes, data.shape.size())];
  return indices.shape.back() == 0 ? 0 : element_count(indices.shape) / indices.shape.back();
}

std::string scatter(const graph::Node& node, const TensorType& data, const TensorType& indices,
                    const TensorType& updates) {
  const std::string& reduction = node.attributes.string("reduction");
  NestText nest;
  nest.open("func scatter({}, {}, {}, {}) {{", parameter("data", data, "input"),
            parameter("indices", indices, "input"), parameter("updates", updates, "input"),
            parameter("y", data, "output"));
  const std::vector<std::string> all = variables("d", data.shape.size());
  open_loops(nest, "d", data.shape, [](std::size_t) { return true; });
  nest.line("{} = {}", element("y", all), element("data", all));
  nest.close(data.shape.size());
  if (is_scatter_elements(node))
    store_elements(nest, ops::axis_of(node.attributes, data.shape.size()), data, indices,
                   reduction);
  else store_slices(nest, data, indices, reduction);
  nest.close();
  return nest.text();
}

}  // namespace loopglass::passes::written_loops
