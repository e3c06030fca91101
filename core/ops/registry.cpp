#include "core/ops/registry.h"

#include "core/ops/families.h"
#include "core/support/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace loopglass::ops {

namespace {

std::deque<OpDef> build_table() {
  std::deque<OpDef> table;
  for (const auto family : {elementwise,
                            arithmetic,
                            comparison,
                            activation,
                            movement,
                            slicing,
                            padding,
                            indexing,
                            scatter,
                            ranking,
                            top_k,
                            reduction,
                            generator,
                            convolution,
                            transposed_convolution,
                            winograd_operators,
                            matrix_product,
                            few_bit_products,
                            packed_few_bits,
                            pooling,
                            normalisation,
                            resize,
                            quantisation,
                            quantised_products,
                            recurrent,
                            loss,
                            signal,
                            optimiser,
                            layout_forms,
                            written,
                            opaque_family})
    for (OpDef& op : family()) table.push_back(std::move(op));
  std::stable_sort(table.begin(), table.end(), [](const OpDef& a, const OpDef& b) {
    return a.family != b.family ? a.family < b.family : a.name < b.name;
  });
  return table;
}

std::string_view canonical_domain(std::string_view domain) {
  return domain == "ai.onnx" ? "" : domain;
}

std::string full_name(std::string_view domain, std::string_view name) {
  return domain.empty() ? std::string(name) : fmt::format("{}.{}", domain, name);
}

struct Index {
  std::unordered_map<std::string_view, const OpDef*> by_name;
  std::unordered_map<std::string, std::vector<OnnxMatch>> by_onnx;  // full name -> its versions

  Index() {
    for (const OpDef& op : all_operators()) {
      CHECK(by_name.emplace(op.name, &op).second,
            fmt::format("operator '{}' is defined twice", op.name));
      for (const OnnxMapping& mapping : op.onnx)
        by_onnx[full_name(mapping.domain, mapping.name)].push_back({&op, &mapping});
    }
  }
};

const Index& index() {
  static const Index index;
  return index;
}

}  // namespace

const std::deque<OpDef>& all_operators() {
  static const std::deque<OpDef> table = build_table();
  return table;
}

const OpDef* find_operator(std::string_view name) {
  const auto found = index().by_name.find(name);
  return found == index().by_name.end() ? nullptr : found->second;
}

Result<OnnxMatch> find_onnx(std::string_view domain, std::string_view name, int opset) {
  const std::string wanted = full_name(canonical_domain(domain), name);
  const auto found = index().by_onnx.find(wanted);
  if (found == index().by_onnx.end())
    return fail(Code::OperatorUnsupported, fmt::format("operator '{}' is not supported", wanted));
  std::string known;
  for (const OnnxMatch& match : found->second) {
    if (match.mapping->since <= opset && opset <= match.mapping->until) return match;
    known += known.empty() ? "" : ", ";
    known += match.mapping->until >= OnnxMapping{}.until
                 ? fmt::format("from {}", match.mapping->since)
                 : fmt::format("{} to {}", match.mapping->since, match.mapping->until);
  }
  return fail(Code::OpsetUnsupported,
              fmt::format("operator '{}' is not supported in opset {}", wanted, opset), {},
              fmt::format("it is in these opsets: {}", known));
}

}  // namespace loopglass::ops
