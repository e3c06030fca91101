// Verdicts say what is so: what the sentence on an edge claims of it is looked up in the loops.
#include "core/fusion/explain.h"
#include "core/graph/dominators.h"
#include "core/graph/program.h"
#include "passes/fusion/dominator.h"
#include "passes/pipeline.h"
#include "samples/samples.h"
#include "tests/fusion/brute_reads.h"
#include "tests/fusion/densenet.h"
#include "tests/fusion/image_network.h"
#include "tests/fusion/in_layout.h"
#include "tests/random/random_network.h"

#include <gmock/gmock.h>
#include <regex>

namespace loopglass {
namespace {

using fusion::Reason;
using fusion::Refusal;

// Looks up the claims of one plan after another.
class Claims {
 public:
  void check(const graph::Graph& graph, const fusion::Plan& plan, const std::string& where) {
    graph_ = &graph;
    plan_ = &plan;
    for (const fusion::Decision& decision : plan.decisions) {
      SCOPED_TRACE(where + ", " + plan.strategy + ": " +
                   fusion::to_text(decision, plan, graph, false));
      ++counts[decision.reason];
      EXPECT_EQ(decision.fused, decision.reason == Reason::Fused);
      check_code(decision);
      check_sentence(decision.sentence);
      if (::testing::Test::HasFailure() && ++failures_ > 20) return;
    }
  }

  std::map<Reason, std::size_t> counts;

 private:
  const graph::Node* node_named(const std::string& name) const {
    for (const graph::NodePtr& node : graph_->nodes())
      if (node->name == name) return node.get();
    return nullptr;
  }

  // The operands of `reader` that `producer` makes, as inputs of the reader's program.
  std::vector<std::string> operands(const graph::Node& producer, const graph::Node& reader,
                                    const te::Program& program) const {
    std::vector<std::string> names;
    std::size_t given = 0;
    for (const graph::ValueId input : reader.inputs) {
      if (!input) continue;
      const std::string& name = program.inputs[given++].name;
      if (graph_->value(input).producer == producer.id) names.push_back(name);
    }
    return names;
  }

  // All that the reader takes of the producer is read so.
  using Reads = bool (*)(const te::Program&, const std::string&);
  bool each_read(const graph::Node& producer, const graph::Node& reader, Reads so) {
    const te::Program& program = program_of(reader);
    const auto names = operands(producer, reader, program);
    return !names.empty() &&
           std::ranges::all_of(names, [&](const std::string& name) { return so(program, name); });
  }

  const te::Program& program_of(const graph::Node& node) {
    program_ = test::value_of(graph::program_of(*graph_, node));
    return program_;
  }

  bool reduces(const graph::Node& node) {
    const te::Program& program = program_of(node);
    return std::ranges::any_of(program.stages,
                               [](const te::Stage& s) { return s.reducer.has_value(); });
  }

  std::size_t readers_outside_kernel(const fusion::Decision& decision) const {
    std::size_t outside = 0;
    for (const graph::Graph::Use& use : graph_->uses(decision.value))
      outside += plan_->group_of(use.node) != plan_->group_of(decision.producer);
    return outside;
  }

  void check_code(const fusion::Decision& decision) {
    const graph::Node &producer = graph_->node(decision.producer),
                      &consumer = graph_->node(decision.consumer);
    const auto number = [&](const char* key) {
      for (const auto& [name, value] : decision.numbers)
        if (name == key) return value;
      return 0.0;
    };
    const bool together = plan_->group_of(producer.id) == plan_->group_of(consumer.id);
    EXPECT_EQ(together, decision.fused);
    switch (decision.reason) {
      case Reason::EdgeNotElementwise:
        EXPECT_FALSE(each_read(producer, consumer, test::reads_in_order));
        break;
      case Reason::ReductionDoesNotFuseForward: EXPECT_TRUE(reduces(producer)); break;
      case Reason::GraphOutput:
        EXPECT_TRUE(
            std::ranges::any_of(producer.outputs, [&](auto id) { return graph_->is_output(id); }));
        break;
      case Reason::NoPostDominator:
        EXPECT_FALSE(
            graph::DominatorTree(*graph_, graph::Direction::PostDominators).parent(producer.id));
        break;
      case Reason::IntermediateStillUsed:
        EXPECT_GT(graph_->uses(decision.value).size(), 1u);
        EXPECT_GT(readers_outside_kernel(decision), 0u);
        break;
      case Reason::SinkIsTuple:
        EXPECT_EQ(consumer.op->inputs.back().arity, ops::Arity::Variadic);
        break;
      case Reason::WorkingSet: EXPECT_GT(number("workspace bytes"), number("cache")); break;
      case Reason::MaxInputs: EXPECT_GT(number("inputs"), number("limit")); break;
      case Reason::MaxOperators:
      case Reason::MaxDepth: EXPECT_GT(number("operators"), number("limit")); break;
      case Reason::NotWorthIt:
        EXPECT_GE(number("microseconds fused"), number("microseconds apart") * (1 - 1e-6));
        break;
      default: break;
    }
  }

  // "a reads b element by element", "a does not read b ...", "elements of b up to n times", "a and
  // b each need a loop nest".
  void check_sentence(const std::string& sentence) {
    std::smatch match;
    static const std::regex does(R"((\S+) reads (\S+) element by element)"),
        does_not(R"((\S+) does not read (\S+) element by element)"),
        in_order(R"((\S+) reads (\S+) in its order, under another shape)"),
        again(R"((\S+) is \w+[^,]*, and reads elements of (\S+) up to (\d+) times)"),
        anchors(R"(^(\S+(?: \(in the kernel of \S+\))?) and (\S+(?: \(in the kernel of \S+\))?) )"
                "each need a loop nest of their own"),
        in_kernel(R"(\(in the kernel of (\S+)\))");
    const auto named = [&](std::size_t group) {
      const graph::Node* node = node_named(match[group]);
      EXPECT_NE(node, nullptr) << match[group];
      return node;
    };
    if (std::regex_search(sentence, match, does)) {
      const graph::Node *reader = named(1), *producer = named(2);
      EXPECT_TRUE(reader && producer &&
                  each_read(*producer, *reader, test::reads_element_by_element));
    }
    if (std::regex_search(sentence, match, does_not)) {
      const graph::Node *reader = named(1), *producer = named(2);
      EXPECT_FALSE(!reader || !producer ||
                   each_read(*producer, *reader, test::reads_element_by_element));
    }
    if (std::regex_search(sentence, match, in_order)) {
      const graph::Node *reader = named(1), *producer = named(2);
      EXPECT_TRUE(reader && producer && each_read(*producer, *reader, test::reads_in_order));
    }
    if (std::regex_search(sentence, match, again)) {
      const graph::Node *reader = named(1), *producer = named(2);
      EXPECT_TRUE(reader && producer && read_again(*producer, *reader));
    }
    if (std::regex_search(sentence, match, anchors)) {
      for (const std::size_t group : {1, 2}) {
        std::string name = match[group];
        std::smatch kernel;
        if (std::regex_search(name, kernel, in_kernel)) name = kernel[1];
        const graph::Node* node = node_named(name);
        ASSERT_NE(node, nullptr) << name;
        EXPECT_TRUE(reduces(*node)) << name;
      }
    }
  }

  bool read_again(const graph::Node& producer, const graph::Node& reader) {
    const te::Program& program = program_of(reader);
    return std::ranges::any_of(operands(producer, reader, program), [&](const std::string& name) {
      return test::reads_again(program, name);
    });
  }

  const graph::Graph* graph_ = nullptr;
  const fusion::Plan* plan_ = nullptr;
  te::Program program_;
  int failures_ = 0;
};

fusion::PlanOptions quick() {
  fusion::PlanOptions options;
  options.time_budget = std::chrono::milliseconds(100);
  return options;
}

void check_all_strategies(Claims& claims, const graph::Graph& graph, const std::string& where) {
  for (const fusion::Strategy& strategy : passes::fusion_strategies()) {
    if (strategy.name == "manual") continue;
    claims.check(graph, test::value_of(strategy.plan(graph, quick())), where);
  }
}

TEST(TrueVerdicts, OfTheSamplesWithAndWithoutLayouts) {
  Claims claims;
  for (const samples::Sample& sample : samples::all_samples()) {
    const graph::Graph imported =
        test::value_of(sample.build(sample.image_size > 64 ? 64 : sample.image_size));
    check_all_strategies(claims, imported, sample.name);
    for (const char* pipeline :
         {"@default", "@canonical, layout-blocked", "@canonical, layout-nhwc"})
      check_all_strategies(claims, test::after(imported, pipeline),
                           sample.name + " after " + pipeline);
  }
  for (const Reason reason : {Reason::Fused, Reason::EdgeNotElementwise, Reason::SecondAnchor,
                              Reason::IntermediateStillUsed, Reason::NotWorthIt})
    EXPECT_GT(claims.counts[reason], 0u) << fusion::name(reason);
}

TEST(TrueVerdicts, OfDenseNet) {
  Claims claims;
  const graph::Graph imported = test::densenet121(64);
  for (const char* pipeline : {"", "@default", "@canonical, layout-blocked"})
    claims.check(test::after(imported, pipeline),
                 passes::fuse_by_dominators(test::after(imported, pipeline), {}).value(), pipeline);
}

TEST(TrueVerdicts, OfRandomNetworks) {
  Claims claims;
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    check_all_strategies(claims,
                         test::random_network(seed, {.operators = 25, .type = DataType::Float32}),
                         fmt::format("random network {}", seed));
    if (HasFailure()) return;
  }
}

TEST(TrueVerdicts, OfImagesInEveryLayout) {
  Claims claims;
  for (std::uint32_t seed = 0; seed < 30; ++seed)
    for (const auto& [layout, graph] : test::in_layouts(test::image_network(seed, 16)))
      claims.check(graph, passes::fuse_by_dominators(graph, {}).value(),
                   fmt::format("images {} in {}", seed, layout));
}

}  // namespace
}  // namespace loopglass
