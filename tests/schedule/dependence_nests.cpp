#include "tests/schedule/dependence_nests.h"

#include <fmt/core.h>

namespace loopglass::schedule {

namespace {

using Texts = std::vector<std::string>;

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

// Values to store at `at`, of a buffer of this rank; # stands for the element.
Texts values_of(int rank) {
  Texts values{"X[i0, i1]", "Y[#] * 0.5f + X[i0, i1]", "Y[#] + X[i0, i1]"};
  if (rank == 1) {
    values.push_back("X[i0, i1] + Y[max(#, 1) - 1] * 0.5f");
    values.push_back("X[i0, i1] + Y[min(# + 1, 7)] * 0.5f");
    values.push_back("X[i0, i1] + Y[i1] * 0.5f");
  } else {
    values.push_back("X[i0, i1] + Y[max(i0, 1) - 1, i1] * 0.5f");
    values.push_back("X[i0, i1] + Y[i0, max(i1, 1) - 1] * 0.5f");
    values.push_back("X[i0, i1] + Y[max(i0, 1) - 1, min(i1 + 1, 3)] * 0.5f");
    values.push_back("X[i0, i1] + Y[i1, i0] * 0.5f");
  }
  return values;
}

struct Iterations {
  std::string i0, i1, tail;
};

std::string single_block(const std::string& shape, const std::string& bound, const std::string& at,
                         const std::string& value, const std::string& predicate,
                         const Iterations& iterations) {
  std::string text = fmt::format(
      "func f(X: float32[4, 4] input, Y: float32[{}] output) {{\n"
      "  for i in 3 {{\n    for j in {} {{\n"
      "      block b({}i0 = i, {}i1 = j) {} {{\n",
      shape, bound, iterations.i0, iterations.i1, iterations.tail);
  if (!predicate.empty()) text += "        where " + predicate + "\n";
  if (iterations.tail.find("sum") != std::string::npos && iterations.tail.back() == 'i')
    text += fmt::format("        init {{ Y[{}] = 0.25f }}\n", at);
  text +=
      fmt::format("        Y[{}] = {}\n      }}\n    }}\n  }}\n}}", at, replaced(value, "#", at));
  return replaced(text, "by sum i", "by sum");
}

}  // namespace

Texts single_block_nests() {
  const Texts lines{"i0",
                    "i1",
                    "0",
                    "i0 + i1",
                    "i0 * 2 + i1",
                    "(i0 + i1) floormod 3",
                    "(i0 * 4 + i1) floordiv 2",
                    "3 - i1",
                    "i0 - i1 + 3"};
  const Texts planes{"i0, i1", "i1, i0", "i0, i0", "i0 floordiv 2, i1", "i0, i1 floormod 2"};
  const std::vector<Iterations> sums{{"", "reduce ", ""},
                                     {"", "reduce ", "by sum"},
                                     {"", "reduce ", "by sum i"},
                                     {"reduce ", "", "by sum i"},
                                     {"reduce ", "reduce ", "by sum i"}};
  Texts nests;
  for (const int rank : {1, 2})
    for (const std::string& at : rank == 1 ? lines : planes)
      for (const std::string& value : values_of(rank))
        for (const std::string predicate : {"", "i0 != i1", "i0 + i1 < 4"})
          for (const std::string bound : {"4", "i + 1"}) {
            const std::string shape = rank == 1 ? "8" : "4, 4";
            nests.push_back(single_block(shape, bound, at, value, predicate, {}));
            const bool updates = value.find("Y[#]") != std::string::npos;
            if (!updates || (!predicate.empty() && bound != "4")) continue;
            for (const Iterations& iterations : sums)
              nests.push_back(single_block(shape, bound, at, value, predicate, iterations));
          }
  // The block of an outer loop that no iteration is bound to, and values carried through one place.
  for (const std::string body :
       {"block b(i0 = i, i1 = j) { Y[i0, i1] = Y[i0, i1] * 0.5f + X[i0, i1] }",
        "block b(i0 = i, i1 = j) { Y[i0, i1] = X[i0, i1] }",
        "block b(i0 = i, i1 = j, i2 = t) { Y[i0, i1] = X[i0, i2] }",
        "block b(i0 = i, i1 = j, i2 = t) { Y[i0, i1] = Y[i1, i0] * 0.5f + X[i0, i2] }",
        "block b(i0 = i, i1 = j, i2 = t) { Y[0, 0] = Y[0, 0] * 0.5f + X[i0, i1] }",
        "block b(i0 = i, i1 = j, i2 = t) { where i2 < 1 Y[i0 floormod 2, i1] = X[i0, i1] }",
        "block b(i0 = i, reduce i1 = j) by sum { init { Y[i0, 0] = 0.0f } Y[i0, 0] = Y[i0, 0] + "
        "X[i0, i1] }",
        "block b(i0 = i, reduce i1 = j, reduce i2 = t) by sum { init { Y[i0, 0] = 0.0f } Y[i0, 0] "
        "= Y[i0, 0] + X[i0, i1] * X[i2, i1] }",
        "block b(i0 = i, reduce i1 = j, reduce i2 = t) by sum { init { Y[i0, 0] = 0.0f } Y[i0, 0] "
        "= Y[i0, 0] * 0.5f + X[i0, i1] * X[i2, i1] }",
        "block b(i0 = t, reduce i1 = j + 1 in 5, reduce i2 = i) by max { init { Y[i0, 1] = 0.0f } "
        "Y[i0, 1] = max(Y[i0, 1], X[i0, i2]) }",
        "block b(i0 = t, reduce i1 = 3 - j in 4, reduce i2 = i) by sum { init { Y[i0, 1] = X[0, "
        "i0] } Y[i0, 1] = Y[i0, 1] + X[i1, i2] }",
        "if X[i, j] > 0.0f { Y[t, j] = X[i, j] * 2.0f + Y[t, j] }",
        "Y[i, j] = Y[j, i] * 0.5f + X[t, j]", "Y[t, i] = X[j, i]"})
    nests.push_back(
        fmt::format("func f(X: float32[4, 4] input, Y: float32[4, 4] output) {{\n"
                    "  for t in 2 {{ for i in 3 {{ for j in 4 {{ {} }} }} }}\n}}",
                    body));
  return nests;
}

namespace {

// A block, or a bare store, under one or two loops; @ and # stand for their variables.
struct Piece {
  int extent;
  int inner;  // 0: no second loop
  std::string text;
};

// `shared`: the outer loop is already there.
std::string nest_of(const Piece& piece, const std::string& name, bool shared) {
  const std::string outer = shared ? "i" : name + "o", inner = name + "i";
  std::string text = replaced(replaced(piece.text, "@", outer), "#", inner);
  if (text[0] == '(') text = "block " + name + text;
  if (piece.inner) text = fmt::format("for {} in {} {{ {} }}", inner, piece.inner, text);
  return shared ? text : fmt::format("for {} in {} {{ {} }}", outer, piece.extent, text);
}

enum class Layout : std::uint8_t { Beside, OneLoop, Repeated };

std::string several(const std::vector<Piece>& pieces, bool initialised, Layout layout) {
  std::string body;
  for (std::size_t k = 0; k < pieces.size(); ++k)
    body +=
        "    " +
        nest_of(pieces[k], std::string(1, static_cast<char>('P' + k)), layout == Layout::OneLoop) +
        "\n";
  if (layout == Layout::OneLoop) body = "  for i in 6 {\n" + body + "  }\n";
  if (layout == Layout::Repeated) body = "  for t in 2 {\n" + body + "  }\n";
  const std::string first =
      initialised ? "  for z in 6 { block Z(z0 = z) { A[z0] = 0.5f } }\n" : "";
  return "func f(X: float32[6] input, M: float32[6, 4] input, B: float32[6] output, "
         "Y: float32[12] output) {\n  alloc A: float32[6] workspace\n" +
         first + body + "}";
}

}  // namespace

Texts several_block_nests() {
  const std::vector<Piece> producers{
      {6, 0, "(i0 = @) { A[i0] = X[i0] * 2.0f }"},
      {6, 0, "(i0 = @) { A[i0] = B[i0] + 1.0f }"},
      {6, 0, "(i0 = @) { A[i0] = B[0] + X[i0] }"},
      {6, 0, "(i0 = @) { where i0 < 4 A[i0] = X[i0] }"},
      {6, 0, "(i0 = @) { A[i0] = X[i0] + A[max(i0, 1) - 1] }"},
      {6, 0, "(i0 = @) { A[5 - i0] = X[i0] }"},
      {6, 0, "(i0 = @) { A[i0 floordiv 2] = X[i0] }"},
      {6, 0, "(i0 = @) { A[i0] = A[i0] * 0.5f + X[i0] }"},
      {6, 0, "(i0 = (@ + 1) floormod 6 in 6) { A[i0] = X[i0] }"},
      {6, 4, "(i0 = @, i1 = #) { A[i0] = M[i0, i1] }"},
      {6, 4, "(i0 = @, i1 = #) { A[i0] = A[i0] * 0.5f + M[i0, i1] }"},
      {6, 4, "(i0 = @, reduce i1 = #) by sum { init { A[i0] = 0.0f } A[i0] = A[i0] + M[i0, i1] }"},
      {6, 4,
       "(i0 = @, reduce i1 = #) by sum { init { A[i0] = B[i0] } A[i0] = A[i0] + M[i0, i1] * B[0] "
       "}"},
      {6, 4,
       "(i0 = @, reduce i1 = #) by sum { where i1 > 0 init { A[i0] = 0.0f } A[i0] = A[i0] + "
       "M[i0, i1] }"},
      {6, 0, "A[@] = X[@] + 3.0f"},
  };
  const std::vector<Piece> consumers{
      {6, 0, "(i0 = @) { Y[i0] = A[i0] + 1.0f }"},
      {6, 0, "(i0 = @) { Y[i0] = A[i0] + A[max(i0, 1) - 1] }"},
      {6, 0, "(i0 = @) { Y[i0] = A[5 - i0] }"},
      {6, 0, "(i0 = @) { Y[i0] = Y[i0] * 0.5f + A[i0] }"},
      {6, 0, "(i0 = @) { Y[i0 floordiv 2] = A[i0] }"},
      {6, 0, "(i0 = @) { Y[0] = Y[0] * 0.5f + A[i0] }"},
      {6, 0, "(i0 = @) { Y[i0] = A[i0] + B[i0] }"},
      {6, 0, "(i0 = @) { B[i0] = A[i0] }"},
      {6, 0, "(i0 = @) { where i0 < 3 Y[i0] = A[i0] }"},
      {6, 0, "(i0 = @) { Y[i0 + 1] = A[i0] + Y[i0] }"},
      {6, 4, "(i0 = @, i1 = #) { Y[i0 + i1] = A[i0] * M[i0, i1] }"},
      {6, 4, "(i0 = @, i1 = #) { Y[i0] = Y[i0] * 0.5f + A[i0] * M[i0, i1] }"},
      {6, 4,
       "(i0 = @, reduce i1 = #) by sum { init { Y[i0] = 0.0f } Y[i0] = Y[i0] + A[i1] * M[i0, i1] "
       "}"},
      {6, 0, "(reduce i0 = @) by sum { init { Y[0] = 0.0f } Y[0] = Y[0] + A[i0] }"},
      {6, 0, "Y[@] = A[@] * 4.0f"},
  };
  const std::vector<Piece> others{
      {6, 0, "(i0 = @) { B[i0] = X[5 - i0] }"},
      {6, 0, "B[0] = X[@]"},
      {6, 0, "(i0 = @) { B[i0] = Y[i0] }"},
      {6, 0, "A[2] = 7.0f"},
      {6, 0, "(i0 = @) { Y[i0] = X[i0] }"},
      {6, 0, "(i0 = @) { A[i0] = A[i0] * 0.5f }"},
      {6, 0, "B[@] = A[@]"},
      {6, 0, "(i0 = @) { B[i0] = A[i0] }"},
  };
  Texts nests;
  for (const Layout layout : {Layout::Beside, Layout::OneLoop, Layout::Repeated})
    for (std::size_t p = 0; p < producers.size(); ++p)
      for (std::size_t c = 0; c < consumers.size(); ++c) {
        const bool initialised = (p + c) % 2 || p == 3 || p == 4 || p == 6 || p == 7 || p == 10;
        nests.push_back(several({producers[p], consumers[c]}, initialised, layout));
        // One of the others before, between and after, each pair another.
        const Piece& other = others[(3 * p + c) % others.size()];
        const Piece& another = others[(p + 5 * c + 1) % others.size()];
        switch ((p + 2 * c) % 3) {
          case 0:
            nests.push_back(several({other, producers[p], consumers[c]}, true, layout));
            nests.push_back(several({producers[p], another, consumers[c]}, initialised, layout));
            break;
          case 1:
            nests.push_back(several({producers[p], other, consumers[c]}, initialised, layout));
            nests.push_back(several({producers[p], consumers[c], another}, initialised, layout));
            break;
          default:
            nests.push_back(several({producers[p], consumers[c], other}, initialised, layout));
            nests.push_back(several({producers[p], another, consumers[c]}, true, layout));
        }
      }
  // Rows between the two, read in whatever order.
  for (const char* element : {"i0, i1", "5 - i0, i1", "i0, 3 - i1", "max(i0, 1) - 1, i1"})
    nests.push_back(fmt::format(
        "func f(X: float32[6] input, M: float32[6, 4] input, B: float32[6] output, "
        "Y: float32[12] output) {{\n  alloc T: float32[6, 4] workspace\n"
        "  for a in 6 {{ for b in 4 {{ block P(i0 = a, i1 = b) {{ T[i0, i1] = M[i0, i1] * 2.0f }} "
        "}} }}\n"
        "  for c in 6 {{ for d in 4 {{ block Q(i0 = c, i1 = d) {{ Y[i0 + i1] = T[{}] }} }} }}\n}}",
        element));
  // Windows of rows that overlap, one or two rows further on. Under one loop: the oracle takes what
  // one iteration of two loops writes again for a dependence, and not for memory of its own.
  for (const char* row : {"a + p", "a * 2 + p", "a + p + 1", "3 - a + p"})
    for (const char* sum : {"A[i0]", "A[i0] + A[i0 + 1]", "A[i0 + 1] + A[i0 + 2]"})
      nests.push_back(fmt::format(
          "func f(X: float32[12] input, Y: float32[4] output) {{\n  alloc A: float32[12] "
          "workspace\n"
          "  for a in 4 {{ for p in 3 {{ block P(i0 = {} in 12) {{ A[i0] = X[i0] * 2.0f }} }} "
          "block Q(i0 = a) {{ Y[i0] = {} }} }}\n}}",
          row, sum));
  nests.emplace_back(
      "func f(X: float32[12] input, Y: float32[4] output) {\n  alloc A: float32[12] workspace\n"
      "  for a in 4 { for p in 3 { for k in 2 { block P(i0 = a + p in 12, reduce r0 = k) by sum { "
      "where i0 < 5 init { A[i0] = 0.0f } A[i0] = A[i0] + X[i0 + r0 * 2] } } } "
      "for q in 2 { block Q(i0 = a, i1 = q) { Y[i0] = select(i0 + i1 < 5, A[i0 + i1], 0.0f) } } "
      "}\n}");
  // Copies with a border, and what an intrinsic computes.
  for (const char* inside : {"i0 >= 1 and i0 < 5 and i1 < 3", "i0 < i1", "i1 >= 1 and i0 + i1 < 6"})
    nests.push_back(fmt::format(
        "func f(X: float32[6] input, M: float32[6, 4] input, Y: float32[12] output) {{\n"
        "  alloc T: float32[6, 4] workspace\n"
        "  for t in 2 {{ for a in 6 {{ for b in 4 {{ block P(i0 = a, i1 = b) {{ T[i0, i1] = "
        "select({}, M[max(i0, 1) - 1, i1], 0.5f) }} }} }}\n"
        "  for c in 6 {{ for d in 4 {{ block Q(i0 = c, i1 = d) {{ Y[i0 + i1] = T[i0, i1] + X[i0] "
        "}} "
        "}} }} }}\n}}",
        inside));
  // Sums of products with what has a border of zeros.
  for (const char* finite : {" finite", ""})
    for (const char* border : {"0.0f", "0.5f"})
      for (const char* start : {"0.0f", "1.0f", "-0.0f"})
        for (const char* at : {"i0 + r0", "i0 * 2 - r0 + 2", "r0"})
          for (const char* loops : {"for c in 3 { for k in 3 {", "for k in 3 { for c in 3 {"})
            nests.push_back(fmt::format(
                "func f(X: float32[6] input, W: float32[3] constant{}, Y: float32[3] output) {{\n"
                "  alloc T: float32[8] workspace\n"
                "  for a in 8 {{ block P(i0 = a) {{ T[i0] = select(i0 >= 1 and i0 < 7, "
                "X[min(max(i0, 1) - 1, 5)], {}) }} }}\n"
                "  for b in 3 {{ block I(i0 = b) {{ Y[i0] = {} }} }}\n"
                "  {} block Q(i0 = c, reduce r0 = k) by sum {{ Y[i0] = Y[i0] + T[{}] * W[r0] }} }} "
                "}}\n"
                "}}",
                finite, border, start, loops, at));
  for (const char* order : {"for a in 16 { for b in 4 {", "for b in 4 { for a in 16 {"})
    nests.push_back(
        fmt::format("func f(X: uint8[4] input, M: int8[16, 4] input, Y: int32[16] output) {{\n"
                    "  for t in 2 {{ {} block P(i0 = a, reduce i1 = b) by sum {{ Y[i0] = Y[i0] + "
                    "int32(X[i1]) * "
                    "int32(M[i0, i1]) }} }} }} }}\n}}",
                    order));
  return nests;
}

}  // namespace loopglass::schedule
