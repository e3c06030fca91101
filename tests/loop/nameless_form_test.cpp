// Two loop nests have one form where they differ in names alone, and never else.
#include "core/loop/nameless_form.h"

#include "core/loop/text.h"

#include <gtest/gtest.h>

#include <set>

namespace loopglass::loop {
namespace {

NamelessForm form(std::string_view text) {
  auto func = parse(text);
  if (!func) throw std::runtime_error(to_string(func.error()));
  return nameless_form(*func);
}

constexpr std::string_view product = R"(
  func product(A: float32[4, 3] input, B: float32[3, 5] constant, C: float32[4, 5] output) {
    for i in 4 { for j in 5 { for k in 3 {
      block C(y = i, x = j, reduce r = k) by sum {
        init { C[y, x] = 0.0f }
        C[y, x] = C[y, x] + A[y, r] * B[r, x] } } } } })";

std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("not there");
  return text.replace(at, from.size(), to);
}

TEST(NamelessForm, NamesDoNotCount) {
  const NamelessForm a = form(product), b = form(R"(
    func other(left: float32[4, 3] input, right: float32[3, 5] constant,
               result: float32[4, 5] output) {
      for row in 4 { for column in 5 { for inner in 3 {
        block sums(k = row, i = column, reduce j = inner) by sum from 7 {
          init { result[k, i] = 0.0f }
          result[k, i] = result[k, i] + left[k, j] * right[j, i] } } } } })");
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.buffers, (std::vector<std::string>{"A", "B", "C"}));
  EXPECT_EQ(b.buffers, (std::vector<std::string>{"left", "right", "result"}));
  EXPECT_EQ(b.blocks, std::vector<std::string>{"sums"});
  EXPECT_EQ(b.loops, (std::vector<std::string>{"row", "column", "inner"}));
}

TEST(NamelessForm, EverythingElseCounts) {
  const std::string text(product);
  std::set<std::string> forms{form(text).bytes};
  std::size_t count = 1;
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"B: float32[3, 5] constant", "B: float32[3, 5] input"},
           {"for i in 4 {", "for i in 4 parallel {"},
           {"by sum", "by max"},
           {"func product", "@contract func product"},
           {"func product", "@contract=\"2\" func product"},
           {"for j in 5", "@contract for j in 5"},
           {"for k in 3", "@contract for k in 3"},
           {"init { C[y, x] = 0.0f }", "init { C[y, x] = 1.0f }"},
           {"init { C[y, x] = 0.0f }", ""},
           {"A[y, r] * B[r, x]", "A[y, r] + B[r, x]"},
           {"A[y, r] * B[r, x]", "B[r, x] * A[y, r]"},
           {"A[y, r] * B[r, x]", "A[y, r] * B[r, 4 - x]"},
           {"y = i, x = j", "y = i, x = 4 - j in 5"},
           {"by sum {", "by sum { where x < 3 "}}) {
    forms.insert(form(with(text, from, to)).bytes);
    ++count;
    EXPECT_EQ(forms.size(), count) << from << " -> " << to;
  }
}

// The same variable twice is not two variables, the same buffer twice not two buffers.
TEST(NamelessForm, WhichNamesAreTheSameCounts) {
  const auto of = [](std::string_view body) {
    return form(
               "func f(A: float32[4, 4] input, B: float32[4, 4] input, Y: float32[4, 4] output) "
               "{ for i in 4 { for j in 4 { " +
               std::string(body) + " } } }")
        .bytes;
  };
  const std::set<std::string> forms{
      of("Y[i, j] = A[i, j]"),           of("Y[i, j] = A[i, i]"),
      of("Y[i, j] = A[j, i]"),           of("Y[i, j] = B[i, j]"),
      of("Y[i, j] = A[i, j] + A[i, j]"), of("Y[i, j] = A[i, j] + B[i, j]")};
  EXPECT_EQ(forms.size(), 6u);
}

// Block variables are scoped: what the next block calls its own does not matter.
TEST(NamelessForm, BlocksAreOnTheirOwn) {
  const auto of = [](std::string_view second) {
    return form(
               "func f(A: float32[4, 6] input, Y: float32[4, 6] output, Z: float32[4, 6] output) "
               "{ for i in 4 { for j in 6 { block Y(a = i, b = j) { Y[a, b] = A[a, b] } } } "
               "for k in 4 { for l in 6 { " +
               std::string(second) + " } } }")
        .bytes;
  };
  EXPECT_EQ(of("block Z(a = k, b = l) { Z[a, b] = A[a, b] }"),
            of("block Z(b = k, c = l) { Z[b, c] = A[b, c] }"));
  EXPECT_NE(of("block Z(a = k, b = l) { Z[a, b] = A[a, b] }"),
            of("block Z(b = l, a = k) { Z[a, b] = A[a, b] }"));
}

// Equal parts may or may not be one node.
TEST(NamelessForm, SharingDoesNotCount) {
  const auto shared = parse(
      "func f(A: float32[4] input, Y: float32[4] output) { for i in 4 { Y[i] = A[i] * A[i] } }");
  ASSERT_TRUE(shared);
  Func apart = *shared;
  const For* loop = as<For>(apart.body);
  ASSERT_NE(loop, nullptr);
  const expr::Expr i = expr::variable("i");
  const auto load = [&] { return expr::load(DataType::Float32, "A", {expr::variable("i")}); };
  const expr::Expr one = load();
  const auto body = [&](expr::Expr value) {
    return make(For{"i", loop->extent, loop->kind, make(Store{"Y", {i}, std::move(value), {}})});
  };
  apart.body = body(load() * load());
  Func together = apart;
  together.body = body(one * one);
  EXPECT_EQ(nameless_form(apart).bytes, nameless_form(together).bytes);
}

// A sum over itself, doubled forty times: a tree of a million million nodes, forty that are met.
TEST(NamelessForm, TakesTimeByNodesNotByPaths) {
  expr::Expr e = expr::load(DataType::Float32, "A", {expr::variable("i")});
  for (int i = 0; i < 40; ++i) e = e + e;
  const auto func =
      parse("func f(A: float32[4] input, Y: float32[4] output) { for i in 4 { Y[i] = A[i] } }");
  ASSERT_TRUE(func);
  Func deep = *func;
  deep.body = make(For{"i", as<For>(func->body)->extent, ForKind::Serial,
                       make(Store{"Y", {expr::variable("i")}, e, {}})});
  EXPECT_LT(nameless_form(deep).bytes.size(), 10'000u);
}

}  // namespace
}  // namespace loopglass::loop
