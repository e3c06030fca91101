// Each graph of a model keeps what is asked of it, while another one is open and after a restart.
#include "tests/views/opaque_model.h"
#include "tests/views/session_window.h"
#include "views/document/debugger.h"

namespace loopglass::app {
namespace {

// Relu, Sigmoid, then If with an unknown condition, whose branches are Tanh and Flatten or Sigmoid
// of that.
void write_model(const std::filesystem::path& path) {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  ::onnx::GraphProto& graph = *model.mutable_graph();
  views::declare(*graph.add_input(), "x");
  views::declare(*graph.add_input(), "which", true);
  views::declare(*graph.add_output(), "c");
  views::add(graph, "Relu", "x", "a");
  views::add(graph, "Sigmoid", "a", "b");
  ::onnx::NodeProto& choose = views::add(graph, "If", "which", "c");
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& attribute = *choose.add_attribute();
    attribute.set_name(name);
    attribute.set_type(::onnx::AttributeProto::GRAPH);
    attribute.mutable_g()->set_name(name);
    views::add(*attribute.mutable_g(), "Tanh", "b", "bent");
    // Of another shape: between two of one it would be no opaque operator.
    const bool is_flat = attribute.name() == "then_branch";
    views::add(*attribute.mutable_g(), is_flat ? "Flatten" : "Sigmoid", "bent", "squeezed");
    attribute.mutable_g()->add_output()->set_name("squeezed");
  }
  std::ofstream(path, std::ios::binary) << model.SerializeAsString();
}

class KeptGraphs : public WithSessions {
 protected:
  void forbid(SessionWindow& used, const char* text) {
    const auto edge = fusion::find_edge(*used.document.history().last_graph(), text);
    ASSERT_TRUE(edge) << to_string(edge.error());
    used.document.set_constraints({{}, {*edge}});
    ASSERT_TRUE(used.settled());
    ASSERT_TRUE(used.document.fusion().plan());
  }
  void enter(SessionWindow& used) {
    used.document.open_subgraph("n_c.else_branch");
    ASSERT_TRUE(views::eventually([&] { return !used.document.source().subgraphs.empty(); }));
    ASSERT_TRUE(used.settled());
  }
  void leave(SessionWindow& used) {
    used.document.leave_subgraphs(0);
    ASSERT_TRUE(views::eventually([&] { return used.document.source().subgraphs.empty(); }));
    ASSERT_TRUE(used.settled());
  }
  // The model with an edge forbidden in its own graph and one inside, each under passes of its own.
  void work(SessionWindow& used) {
    const std::filesystem::path path = folder_.filePath("branches.onnx").toStdString();
    write_model(path);
    used.window.open(QString::fromStdString(path.string()));
    ASSERT_TRUE(used.settled());
    ASSERT_TRUE(used.document.set_pipeline("fold-constants"));
    ASSERT_TRUE(used.settled());
    forbid(used, "n_a:n_b");
    enter(used);
    EXPECT_EQ(used.document.pipeline(), "fold-constants") << "a new graph begins with these";
    EXPECT_TRUE(used.document.constraints().empty()) << "edges are those of another graph";
    ASSERT_TRUE(used.document.set_pipeline("simplify"));
    ASSERT_TRUE(used.settled());
    forbid(used, "n_bent:n_squeezed");
  }
  static void expect_own_graph(const views::Document& document) {
    EXPECT_EQ(document.pipeline(), "fold-constants");
    ASSERT_EQ(document.constraints().forbidden.size(), 1u);
    EXPECT_EQ(document.history()
                  .last_graph()
                  ->node(document.constraints().forbidden.begin()->producer)
                  .name,
              "n_a");
  }
  static void expect_branch(const views::Document& document) {
    EXPECT_EQ(document.pipeline(), "simplify");
    ASSERT_EQ(document.constraints().forbidden.size(), 1u);
    EXPECT_EQ(document.history()
                  .last_graph()
                  ->node(document.constraints().forbidden.begin()->producer)
                  .name,
              "n_bent");
  }
};

TEST_F(KeptGraphs, WhatIsAskedOfOneIsThereWhenOneComesBack) {
  auto used = window();
  work(*used);
  leave(*used);
  expect_own_graph(used->document);
  // And can be taken back.
  EXPECT_EQ(used->document.undo_words(), "forbid n_a:n_b");
  used->document.undo();
  ASSERT_TRUE(used->settled());
  EXPECT_TRUE(used->document.constraints().empty());
  used->document.redo();
  ASSERT_TRUE(used->settled());
  enter(*used);
  expect_branch(used->document);
  leave(*used);
  expect_own_graph(used->document);
  EXPECT_TRUE(used->told.empty());
  // Another model has nothing of it.
  used->window.open("mlp");
  ASSERT_TRUE(used->settled());
  EXPECT_TRUE(used->sessions().session()->others.empty());
}

// Breakpoints and bookmarks are the model's, whichever of its graphs they were made in.
TEST_F(KeptGraphs, WhatIsTheModelsStaysAsItIs) {
  auto used = window();
  work(*used);
  used->sessions().add_bookmark();
  used->document.set_breakpoints({pass::parse_breakpoint("remove op=Relu").value()});
  ASSERT_EQ(used->document.asked().bookmarks.size(), 1u);
  leave(*used);
  expect_own_graph(used->document);
  EXPECT_EQ(used->document.asked().bookmarks.size(), 1u);
  EXPECT_EQ(used->document.asked().breakpoints.size(), 1u);
  // What is undone here takes none of that away.
  used->document.undo();
  ASSERT_TRUE(used->settled());
  EXPECT_TRUE(used->document.constraints().empty());
  EXPECT_EQ(used->document.asked().bookmarks.size(), 1u);
  used->document.redo();
  ASSERT_TRUE(used->settled());
  // A bookmark inside leads to that graph as it was left.
  used->sessions().go_to(used->document.asked().bookmarks.front());
  ASSERT_TRUE(views::eventually([&] { return !used->document.source().subgraphs.empty(); }));
  ASSERT_TRUE(used->settled());
  expect_branch(used->document);
  EXPECT_EQ(used->document.asked().bookmarks.size(), 1u);
}

TEST_F(KeptGraphs, ComeUpAgainAfterARestart) {
  {
    auto first = window();
    work(*first);
    first->sessions().flush();
  }
  const auto kept = read_session(kept_sessions().front().file);
  ASSERT_TRUE(kept) << to_string(kept.error());
  ASSERT_EQ(kept->others.size(), 1u);
  EXPECT_EQ(kept->others.front().asked.request.forbidden, (std::vector<std::string>{"n_a:n_b"}));
  auto second = window();
  ASSERT_TRUE(second->sessions().restore());
  ASSERT_TRUE(second->settled());
  EXPECT_FALSE(second->document.source().subgraphs.empty());
  expect_branch(second->document);
  leave(*second);
  expect_own_graph(second->document);
  enter(*second);
  expect_branch(second->document);
  EXPECT_TRUE(second->told.empty());
}

// The graph that was open is gone from the model: the rest of the session comes up, in the model's
// own graph with what was asked of that.
TEST_F(KeptGraphs, OneThatIsGoneIsLeftOut) {
  write_model(folder_.filePath("branches.onnx").toStdString());
  const QString file = folder_.filePath("gone.loopglass");
  std::ofstream(file.toStdString())
      << R"({"loopglass_session": 1, "model": "./branches.onnx", "subgraph": "n_z.then_branch",
    "passes": "simplify", "force": ["a:b"], "breakpoints": [{"break": "remove op=Relu"}],
    "graphs": [{"passes": "fold-constants", "forbid": ["n_a:n_b"]}]})";
  auto used = window();
  used->window.open(file);
  ASSERT_TRUE(used->settled());
  ASSERT_TRUE(used->document.model());
  EXPECT_TRUE(used->document.source().subgraphs.empty());
  expect_own_graph(used->document);
  EXPECT_EQ(used->document.debugger().breakpoints().size(), 1u);
  ASSERT_EQ(used->told.size(), 1u);
  EXPECT_TRUE(used->told.front().what.starts_with("1 of what the session asks for is left out"));
  EXPECT_NE(used->told.front().what.find("n_z"), std::string::npos) << used->told.front().what;
  EXPECT_EQ(used->sessions().session()->file, file.toStdString());
}

}  // namespace
}  // namespace loopglass::app
