// Whatever a file claims an operator's inputs and attributes to be, typing it gives types or a
// diagnostic; what is accepted computes without an index going astray (the interpreter checks
// each).
#include "core/loop/lower.h"
#include "core/ops/written_kernel.h"
#include "tests/ops/evaluation.h"

#include <fmt/format.h>

#include <random>

namespace loopglass::ops {
namespace {

class Hostile : public testing::TestWithParam<std::string> {
 protected:
  const OpDef& op() const { return *find_operator(GetParam()); }

  template <class T>
  const T& any(const std::vector<T>& choices) {
    return choices[random_() % choices.size()];
  }

  AttributeValue value(AttributeKind kind) {
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                           most = std::numeric_limits<std::int64_t>::max();
    const Integers integers{0,
                            1,
                            1,
                            2,
                            2,
                            2,
                            3,
                            4,
                            -1,
                            -2,
                            5,
                            least,
                            least + 1,
                            most,
                            most - 1,
                            1 << 20,
                            std::int64_t{1} << 40};
    const Reals reals{0, 1, 0.5, -1, 2, 1e30, -infinity, infinity, not_a_number};
    const std::vector<std::string> words{
        "",      "none",    "nonsense", "SAME_UPPER", "VALID",         "linear",
        "cubic", "float16", "int8",     "edge",       "reflect",       "wrap",
        "add",   "mean",    "sum",      "LEFT",       "bidirectional", "reverse"};
    const std::size_t length = random_() % 5;
    switch (kind) {
      case AttributeKind::Int: return any(integers);
      case AttributeKind::Float: return any(reals);
      case AttributeKind::String: return any(words);
      case AttributeKind::Ints: {
        Integers list;
        // Half of the lists are harmless, so that some get past the first check.
        const bool tame = random_() % 2 == 0;
        while (list.size() < length)
          list.push_back(tame ? static_cast<std::int64_t>(random_() % 4) : any(integers));
        return list;
      }
      case AttributeKind::Floats: {
        Reals list;
        while (list.size() < length) list.push_back(any(reals));
        return list;
      }
      case AttributeKind::Strings: {
        std::vector<std::string> list;
        while (list.size() < length) list.push_back(any(words));
        return list;
      }
      case AttributeKind::Tensor: return tensor({any(types()), any(shapes())});
    }
    return std::int64_t{0};
  }

  Attributes attributes() {
    Attributes chosen;
    for (const AttributeSpec& spec : op().attributes)
      if (spec.required || random_() % 3 == 0) {
        const bool layout =
            spec.kind == AttributeKind::String && spec.doc.find("NCHW") != std::string::npos;
        chosen.set(spec.name, layout && random_() % 4 != 0 ? any(layouts()) : value(spec.kind));
      }
    return chosen;
  }

  // Mostly one shape and type for all, as few operators accept a jumble.
  std::vector<Tensor> inputs() {
    std::size_t count = op().inputs.size();
    if (count > 0 && op().inputs.back().arity == Arity::Variadic) count += random_() % 3;
    const TensorType common{any(types()), any(shapes())};
    std::vector<Tensor> chosen;
    for (std::size_t i = 0; i < count; ++i) {
      const bool optional =
          op().inputs[std::min(i, op().inputs.size() - 1)].arity == Arity::Optional;
      if (optional && random_() % 2 == 0) chosen.emplace_back();
      else
        chosen.push_back(tensor({random_() % 3 == 0 ? any(types()) : common.type,
                                 random_() % 3 == 0 ? any(shapes()) : common.shape}));
    }
    return chosen;
  }

  std::size_t output_count() {
    return 1 + random_() % (op().outputs.back().arity == Arity::Variadic ? 3 : op().outputs.size());
  }

 private:
  static const std::vector<DataType>& types() {
    static const std::vector<DataType> types{
        DataType::Float32, DataType::Float32, DataType::Float32, DataType::Float16, DataType::Int64,
        DataType::Int64,   DataType::Int32,   DataType::UInt8,   DataType::Int8,    DataType::Bool};
    return types;
  }
  static const std::vector<AttributeValue>& layouts() {
    static const std::vector<AttributeValue> layouts{std::string("NCHW"), std::string("NHWC"),
                                                     std::string("NCHW2c"), std::string("NCW"),
                                                     std::string("OIHW")};
    return layouts;
  }
  static const std::vector<Shape>& shapes() {
    static const std::vector<Shape> shapes{
        {},     {1},    {2},       {3},       {0},          {2, 3},       {3, 2},
        {2, 2}, {0, 2}, {2, 3, 2}, {1, 2, 3}, {1, 2, 3, 3}, {2, 1, 4, 4}, {1, 4, 2, 2, 2}};
    return shapes;
  }
  Tensor tensor(TensorType type) {
    Tensor filled(std::move(type));
    visit_type(filled.data_type(), [&](auto element) {
      using T = decltype(element);
      for (T& place : filled.as<T>()) {
        if constexpr (std::is_same_v<T, std::int64_t>)
          place = any(Integers{0, 1, 2, -1, -7, 100, std::numeric_limits<std::int64_t>::min()});
        else place = static_cast<T>(random_() % 5);
      }
    });
    return filled;
  }

  std::mt19937 random_{7};
};

// How many times loops turn around at most, those around an empty one included.
double iterations(const te::Program& program) {
  double total = 0;
  for (const te::Stage& stage : program.stages) {
    double product = 1;
    for (const auto* axes : {&stage.axes, &stage.reduce_axes})
      for (const te::Axis& axis : *axes)
        product *= static_cast<double>(
            std::max<std::int64_t>(expr::as_integer(axis.extent).value_or(1), 1));
    total += product;
  }
  return total;
}

TEST_P(Hostile, GivesTypesOrADiagnosticAndStaysInside) {
  int computed = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const std::vector<Tensor> given = inputs();
    std::vector<const TensorType*> types;
    for (const Tensor& input : given) types.push_back(input.defined() ? &input.type() : nullptr);
    Attributes chosen = attributes();
    const std::size_t count = output_count();
    std::string scene = fmt::format("{} -> {} outputs", GetParam(), count);
    for (const TensorType* type : types) scene += type == nullptr ? ", _" : ", " + to_string(*type);
    for (const auto& [name, held] : chosen.all())
      scene += fmt::format(", {} = {}", name, to_string(held));
    SCOPED_TRACE(scene);
    ASSERT_NO_THROW({
      const auto outputs = infer(op(), types, chosen, count);
      if (!outputs) {
        EXPECT_FALSE(outputs.error().what.empty());
        continue;
      }
      double elements = 0;
      for (const TensorType& output : *outputs)
        elements += static_cast<double>(element_count(output.shape));
      if (elements > 1e4) continue;
      const auto program = program_of(op(), types, chosen, *outputs);
      if (!program || iterations(*program) > 1e5) continue;
      EXPECT_TRUE(loop::evaluate(op(), chosen, given, count).has_value());
      ++computed;
    });
  }
  // Operators with many interlocking inputs may never be hit; the others must not be refused
  // outright.
  EXPECT_TRUE(computed > 0 || op().opaque || is_written(op()) || op().inputs.size() != 1)
      << "no trial got as far as computing";
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const OpDef& op : all_operators()) all.push_back(op.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Every, Hostile, testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace loopglass::ops
