// Mapping types follow from what an operator's compute reads; the table of combinations is
// DNNFusion's.
#include "core/fusion/mapping_type.h"
#include "tests/graph/parsed.h"

#include <gtest/gtest.h>

namespace loopglass::fusion {
namespace {

struct MappingCase {
  const char* operation;  // the line that makes %y
  MappingType type;
};
void PrintTo(const MappingCase& c, std::ostream* out) { *out << c.operation; }

class MappingTypes : public ::testing::TestWithParam<MappingCase> {};

TEST_P(MappingTypes, FollowFromTheIndexMaps) {
  const graph::Graph graph = test::graph_of(std::string(R"(
  input %x: float32[2x3x4]
  input %s: float32[4]
  input %image: float32[1x4x6x6]
  input %i: int64[2]
)") + "%y: " + GetParam().operation + " \"y\" output %y");
  EXPECT_EQ(name(mapping_type(graph, *graph.nodes().front())), name(GetParam().type));
}

using enum MappingType;
INSTANTIATE_TEST_SUITE_P(
    All, MappingTypes,
    ::testing::Values(
        MappingCase{"float32[2x3x4] = Relu(%x)", OneToOne},
        MappingCase{"float32[2x3x4] = Add(%x, %x)", OneToOne},
        MappingCase{"float32[2x3x4] = Add(%x, %s)", OneToMany},
        MappingCase{"float32[2x3x8] = Concat(%x, %x) {axis = 2}", OneToOne},
        MappingCase{"float32[2x3x2] = Slice(%x) {starts = [1], ends = [3], axes = [2]}", OneToOne},
        MappingCase{"float32[6x4] = Reshape(%x) {shape = [6, 4]}", Reorganize},
        MappingCase{"float32[1x2x3x4] = Unsqueeze(%x) {axes = [0]}", Reorganize},
        MappingCase{"float32[4x3x2] = Transpose(%x)", Shuffle},
        MappingCase{"float32[1x1x12x12] = DepthToSpace(%image) {blocksize = 2}", Shuffle},
        MappingCase{"float32[5x2x3x4] = Expand(%x) {shape = [5, 1, 1, 1]}", OneToMany},
        MappingCase{"float32[2x3x4] = Gather(%x, %i)", OneToMany},
        MappingCase{"float32[2x3x4] = Softmax(%x)", ManyToMany},
        MappingCase{"float32[2x3x1] = ReduceSum(%x) {axes = [2]}", ManyToMany},
        MappingCase{
            "float32[1x4x6x6] = MaxPool(%image) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]}",
            ManyToMany}));

TEST(Combinations, AreThoseOfThePaper) {
  EXPECT_EQ(combine(OneToOne, ManyToMany).profit, Profit::Always);
  EXPECT_EQ(combine(ManyToMany, OneToOne).result, ManyToMany);
  EXPECT_EQ(combine(OneToMany, ManyToMany).profit, Profit::Never);
  EXPECT_EQ(combine(ManyToMany, ManyToMany).profit, Profit::Never);
  EXPECT_EQ(combine(ManyToMany, Shuffle).profit, Profit::Judge);
  EXPECT_EQ(combine(Shuffle, Reorganize).result, Reorganize);
  EXPECT_EQ(combine(Reorganize, OneToMany).result, OneToMany);
}

}  // namespace
}  // namespace loopglass::fusion
