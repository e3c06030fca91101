// Loop nests read back from their text, construct by construct, and lines know what is on them.
#include "loop_text.h"

namespace loopglass::loop {
namespace {

void round_trip(std::string_view text) {
  const Func func = read(text);
  EXPECT_EQ(to_text(func), text);
}

TEST(RoundTrip, AnEmptyBody) { round_trip("func nothing() {\n}\n"); }

TEST(RoundTrip, LoopsOfEveryKind) {
  round_trip(R"(func f(X: float32[4, 8] input, Y: float32[4, 8] output) {
  for i in 4 parallel {
    for jo in 2 unrolled {
      for ji in 4 vectorized {
        Y[i, jo * 4 + ji] = X[i, jo * 4 + ji]
      }
    }
  }
}
)");
}

TEST(RoundTrip, Hints) {
  round_trip(R"(func f(X: float32[8] input, Y: float32[8] output) {
  for i in 8 {
    prefetch X[i + 2]
    Y[i] = X[i]
  }
}
)");
}

TEST(RoundTrip, Annotations) {
  round_trip(R"(@contract @note="of \\\"f\\\"" func f(X: float32[4] input, Y: float32[4] output) {
  @function alloc T: float32[4] stack {
    @a @b="2" for i in 4 {
      @c T[i] = X[i]
    }
  }
  @d if true {
    @e for j in 4 {
      @f block y(v = j) {
        init {
          @g Y[v] = 0.0f
        }
        Y[v] = X[v]
      }
    }
  }
}
)");
}

TEST(Annotations, StandByTheirKeysAndNoneTwice) {
  Annotations annotations;
  for (const char* key : {"c", "a", "b", "a"}) annotations = annotated(annotations, {key, key});
  EXPECT_EQ(annotations, (Annotations{{"a", "a"}, {"b", "b"}, {"c", "c"}}));
  EXPECT_EQ(find_annotation(annotations, "b")->value, "b");
  EXPECT_EQ(find_annotation(annotations, "d"), nullptr);
  EXPECT_EQ(parse("@a @a func f() { }").error().code, Code::TextMalformed);
  EXPECT_EQ(parse("@for func f() { }").error().code, Code::TextMalformed);
  Func func = read("func f(Y: float32[4] output) { Y[0] = 0.0f Y[1] = 0.0f }");
  func.annotations = {{"b", {}}, {"a", {}}};
  EXPECT_EQ(verify(func).error().code, Code::FuncInvalid);
  func.annotations = {{"no name", {}}};
  EXPECT_EQ(verify(func).error().code, Code::FuncInvalid);
  func.annotations = {};
  EXPECT_TRUE(verify(func));
  func.body = with_annotations(func.body, {{"a", {}}});
  EXPECT_EQ(verify(func).error().code, Code::FuncInvalid) << "a sequence has no text of its own";
}

TEST(Annotations, CountOfCopiesIsANumber) {
  const auto noted = [](const std::string& count) {
    return verify(parse("func f(Y: float32[4] output) { @unroll_count=\"" + count +
                        "\" for i in 4 { Y[i] = 0.0f } }")
                      .value());
  };
  for (const char* count : {"1", "4", "64"}) EXPECT_TRUE(noted(count)) << count;
  for (const char* count : {"", "0", "-3", "65", "4x", "many", "99999999999999999999"}) {
    const auto refused = noted(count);
    ASSERT_FALSE(refused) << count;
    EXPECT_EQ(refused.error().code, Code::FuncInvalid);
    EXPECT_NE(refused.error().what.find("from 1 to 64"), std::string::npos);
  }
}

TEST(RoundTrip, SymbolicExtents) {
  round_trip(R"(func f[n, m](X: float32[n, m * 2] input, Y: float32[n] output) {
  for i in n {
    Y[i] = X[i, m]
  }
}
)");
}

TEST(RoundTrip, ManyParametersStandOnLinesOfTheirOwn) {
  round_trip(R"(func f(
    first_long_parameter: float32[4] input,
    second_long_parameter: int64[4] constant,
    third_long_parameter: bool[4] output) {
  for i in 4 {
    third_long_parameter[i] = first_long_parameter[i] < 0.0f
  }
}
)");
}

TEST(RoundTrip, ABlockWithEverything) {
  round_trip(R"(func f(A: float32[6, 8] input, C: float32[6] output) {
  for io in 2 {
    for ii in 4 {
      for k in 8 {
        block sum(i = io * 4 + ii in 6, reduce r = k) by sum from 2, 7 {
          where i < 6
          reads A[i, r]
          writes C[i]
          init { C[i] = 0.0f }
          C[i] = C[i] + A[i, r]
        }
      }
    }
  }
}
)");
}

TEST(RoundTrip, ABlockWithALongNameAndNoLoops) {
  const std::string name(200, 'n');
  round_trip("func sum(Y: float32[] output) {\n  block " + name +
             "() from 3 {\n    writes Y[]\n    Y[] = 0.0f\n  }\n}\n");
}

TEST(RoundTrip, ABlockWithLoopsInsideAndRegions) {
  round_trip(R"(func f(A: float32[8, 16] input, C: float32[8, 16] output) {
  for io in 2 {
    block tile(i = io) {
      reads A[i * 4 : 4, 0 : 16]
      writes C[i * 4 : 4, 0 : 16]
      init {
        for z in 4 {
          C[i * 4 + z, 0] = 1.0f
        }
      }
      for a in 4 {
        for b in 16 {
          C[i * 4 + a, b] = A[i * 4 + a, b]
        }
      }
    }
  }
}
)");
}

TEST(RoundTrip, EveryReducer) {
  for (const std::string_view reducer : {"sum", "product", "min", "max", "and", "or"})
    round_trip("func f(Y: float32[] output) {\n  block b() by " + std::string(reducer) +
               " {\n    Y[] = 1.0f\n  }\n}\n");
}

TEST(RoundTrip, AllocationsWithAndWithoutBraces) {
  round_trip(R"(func f(X: float32[4] input, Y: float32[4] output) {
  alloc a: float32[4] workspace
  alloc b: float32[2] stack {
    b[0] = X[0]
    a[0] = b[0]
  }
  alloc c: float32[1] register
  c[0] = a[0]
  Y[0] = c[0]
}
)");
}

TEST(RoundTrip, Conditions) {
  round_trip(R"(func f(X: float32[4] input, Y: float32[4] output) {
  for i in 4 {
    if i < 2 {
      Y[i] = X[i]
    } else {
      if X[i] > 0.0f {
        Y[i] = 1.0f
      }
      Y[i] = 0.0f from 3
    }
  }
}
)");
}

TEST(RoundTrip, PackedConstants) {
  round_trip(
      R"(func f(W: float32[2, 9, 8] constant packed [16, 9] by (d0 * 8 + d2, d1), Y: float32[] output) {
  Y[] = W[0, 0, 0]
}
)");
}

TEST(RoundTrip, Comments) {
  EXPECT_EQ(to_text(read("func f(Y: float32[] output) { // nothing\n Y[] = 1.0f }\n")),
            "func f(Y: float32[] output) {\n  Y[] = 1.0f\n}\n");
}

constexpr std::string_view two_blocks = R"(func f(X: float32[4] input, Y: float32[4] output) {
  alloc t: float32[4] workspace
  for i in 4 {
    block a(x = i) from 1 {
      reads X[x]
      writes t[x]
      t[x] = X[x] * 2.0f
    }
  }
  for j in 4 {
    block b(x = j) from 2 {
      reads t[x]
      writes Y[x]
      Y[x] = t[x] + 1.0f
    }
  }
}
)";

TEST(Lines, NameWhatTheyIntroduce) {
  const Listing listing = print(read(two_blocks));
  EXPECT_EQ(listing.text(), two_blocks);
  EXPECT_EQ(listing.lines[0].entity, "f");
  EXPECT_EQ(listing.lines[1].entity, "t");
  EXPECT_EQ(listing.lines[2].entity, "i");
  EXPECT_EQ(listing.lines[3].entity, "a");
  EXPECT_EQ(listing.lines[6].entity, "");
}

TEST(Lines, CarryTheOriginsOfTheStatementsTheyOpenOrClose) {
  const Listing listing = print(read(two_blocks));
  const auto from = [&](int line) { return listing.origin_of(line).sources; };
  using Sources = std::vector<std::uint32_t>;
  EXPECT_EQ(from(1), (Sources{1, 2}));  // the function
  EXPECT_EQ(from(2), (Sources{1, 2}));  // the allocation, around both
  EXPECT_EQ(from(3), Sources{1});       // the first loop
  EXPECT_EQ(from(7), Sources{1});       // the store of block a
  EXPECT_EQ(from(9), Sources{1});       // its loop's brace
  EXPECT_EQ(from(10), Sources{2});
}

TEST(Lines, KnowTheLastLineOfTheirStatement) {
  const Listing listing = print(read(two_blocks));
  EXPECT_EQ(listing.lines[2].last, 9);
  EXPECT_EQ(listing.lines[3].last, 8);
  EXPECT_EQ(listing.lines[6].last, 7);
  EXPECT_EQ(listing.lines[0].last, static_cast<int>(listing.lines.size()));
}

TEST(Lines, KnowTheFirstLineOfTheirStatement) {
  const Listing listing = print(read(two_blocks));
  EXPECT_EQ(listing.lines[2].first, 3);
  EXPECT_EQ(listing.lines[6].first, 7);
  EXPECT_EQ(listing.lines[7].first, 4) << "the brace of block a";
  EXPECT_EQ(listing.lines[8].first, 3) << "the brace of its loop";
}

// `count` statements in a row, each under the allocation of its own buffer, which lives to the end:
// what a long chain of operators becomes. Store k comes from graph node k.
Func chain(std::uint32_t count) {
  const auto buffer = [](std::uint32_t k) { return "b" + std::to_string(k); };
  Stmt rest;
  for (std::uint32_t k = count; k-- > 0;) {
    const Expr above = k == 0 ? expr::load(DataType::Float32, "X", {Expr(0)})
                              : expr::load(DataType::Float32, buffer(k - 1), {Expr(0)});
    const Stmt store =
        make(Store{buffer(k), {Expr(0)}, expr::unary(expr::UnaryOperator::Sin, above), {{k}}});
    rest = make(Alloc{{buffer(k), DataType::Float32, {Expr(1)}, Scope::Workspace},
                      rest ? sequence({store, rest}) : store});
  }
  return {"chain", {}, {{"X", DataType::Float32, {Expr(1)}, Scope::Global, Role::Input}}, rest};
}

// What a listing takes must grow with its lines. An allocation's statement is everything below it,
// so if lines kept the origins of their statements, twice as many would take four times the memory,
// and eight times the time where those are merged one by one.
TEST(Lines, OfNestedAllocationsTakeMemoryInProportion) {
  const auto kept = [](const Listing& listing) {
    std::size_t count = 0;
    for (const Line& line : listing.lines) count += line.origin.sources.size() + line.text.size();
    return count;
  };
  const Listing once = print(chain(500)), twice = print(chain(1000));
  ASSERT_EQ(twice.lines.size(), 2002u);
  EXPECT_EQ(once.origin_of(2).sources.size(), 500u) << "the first allocation is around all of them";
  EXPECT_LT(kept(twice), 3 * kept(once));
}

TEST(Lines, AreFoundByStatement) {
  const Func func = read(two_blocks);
  std::unordered_map<const StmtNode*, int> lines;
  const Listing listing = print(func, &lines);
  const Stmt& nests = as<Alloc>(func.body)->body;
  const Stmt& second = as<Seq>(nests)->statements[1];
  EXPECT_EQ(lines.at(func.body.get()), 2);
  EXPECT_EQ(lines.at(second.get()), 10);
  EXPECT_EQ(lines.at(as<For>(second)->body.get()), 11);
  EXPECT_EQ(listing.lines[10].entity, "b");
}

std::string refusal(std::string_view text) {
  const auto func = parse(text);
  return func ? "parsed" : to_string(func.error());
}

TEST(Errors, PointAtTheSpot) {
  EXPECT_EQ(refusal("func f(Y: float32[4] output) {\n  for i in 4 sideways {\n  }\n}\n"),
            "error LG9001: expected '{'\n"
            "    for i in 4 sideways {\n"
            "               ^\n"
            "  at line 2, column 14");
  EXPECT_NE(refusal("func f(Y: float33[4] output) {}").find("no element type 'float33'"),
            std::string::npos);
  EXPECT_NE(refusal("func f(Y: float32[4] elsewhere) {}").find("expected input, constant"),
            std::string::npos);
  EXPECT_NE(refusal("func f() { Z[0] = 1.0f }").find("no buffer 'Z'"), std::string::npos);
  EXPECT_NE(refusal("func f() { block b(i = 3) {} }").find("needs an extent"), std::string::npos);
  EXPECT_NE(refusal("func f() {").find("this '{' is not closed"), std::string::npos);
  EXPECT_NE(refusal("func f() {} rest").find("expected the end"), std::string::npos);
  EXPECT_NE(refusal("func for() {}").find("cannot name a function"), std::string::npos);
}

TEST(Errors, EndlessNestingIsRefused) {
  std::string text = "func f() {";
  for (int k = 0; k < 100000; ++k) text += "if true {";
  EXPECT_NE(refusal(text).find("too deep"), std::string::npos);
}

}  // namespace
}  // namespace loopglass::loop
