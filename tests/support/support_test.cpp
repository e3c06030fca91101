// The small things everything stands on: text cursor, hashes, tensors.
#include "core/support/diagnostic.h"
#include "core/support/excerpt.h"
#include "core/support/hash.h"
#include "core/support/printable.h"
#include "core/support/shell_word.h"
#include "core/support/text_cursor.h"
#include "core/tensor/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass {
namespace {

using ::testing::HasSubstr;

TEST(TextCursor, WordsEndAtWordBoundaries) {
  TextCursor cursor("inputs input");
  EXPECT_FALSE(cursor.accept("input"));
  EXPECT_EQ(*cursor.identifier(), "inputs");
  EXPECT_TRUE(cursor.accept("input"));
  EXPECT_TRUE(cursor.at_end());
}

TEST(TextCursor, QuotedStringsRoundTrip) {
  for (const std::string awkward :
       {"a \"b\" \\ c\nd\x01\te\x7f", "\xff\xc3 \xc2\x9b \xe2\x86\x92"}) {
    const std::string text = quote(awkward);
    EXPECT_EQ(printable(text), text);
    TextCursor cursor(text);
    EXPECT_EQ(*cursor.quoted(), awkward);
  }
}

TEST(TextCursor, HalfAnEscapeIsRefused) {
  for (const char* text : {"\"\\x\"", "\"\\x4\"", "\"\\xzz\"", "\"\\", "\"\\x1"})
    EXPECT_FALSE(TextCursor(text).quoted()) << text;
}

TEST(TextCursor, NumbersKeepTheirText) {
  TextCursor cursor("-1.5e-3 inf -nan 7");
  EXPECT_EQ(*cursor.number(), "-1.5e-3");
  EXPECT_EQ(*cursor.number(), "inf");
  EXPECT_EQ(*cursor.number(), "-nan");
  EXPECT_EQ(*cursor.integer(), 7);
}

TEST(TextCursor, ErrorsPointAtTheSpot) {
  TextCursor cursor("first // a comment\n  second");
  ASSERT_TRUE(cursor.accept("first"));
  const auto wrong = cursor.expect("third");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().where, "line 2, column 3");
  EXPECT_THAT(wrong.error().what, ::testing::HasSubstr("    second\n    ^"));
}

// Not what comes behind it, which may be right.
TEST(TextCursor, ABracketOrQuoteThatIsNotClosedIsPointedAt) {
  const auto refusal = [](std::string_view text, std::size_t read, std::string_view closing) {
    TextCursor cursor(text);
    cursor.rewind(read);
    return to_string((closing == "\"" ? Result<void>(std::unexpected(cursor.quoted().error()))
                                      : cursor.expect(closing))
                         .error());
  };
  EXPECT_THAT(refusal("C[i] = A[(i)\nD", 12, "]"), HasSubstr("this '[' is not closed"));
  EXPECT_THAT(refusal("C[i] = A[(i)\nD", 12, "]"), HasSubstr("line 1, column 9"));
  EXPECT_THAT(refusal("f {\n  \"}\" // }\n  g { } ", 22, "}"), HasSubstr("line 1, column 3"));
  EXPECT_THAT(refusal("a \"b, c\n", 2, "\""), HasSubstr("this string is not closed"));
  EXPECT_THAT(refusal("a \"b, c\n", 2, "\""), HasSubstr("line 1, column 3"));
  // What stands there is wrong where its line goes on, or where another bracket was to be closed.
  EXPECT_THAT(refusal("A[i j]", 3, "]"), HasSubstr("expected ']'"));
  EXPECT_THAT(refusal("f {\n  g\n", 7, "]"), HasSubstr("expected ']'"));
  EXPECT_THAT(refusal("f {\n  g\n  5 }", 7, "}"), HasSubstr("line 3, column 3"));
}

TEST(TextCursor, AnIntegerTooLargeIsRefused) {
  EXPECT_FALSE(TextCursor("99999999999999999999").integer());
}

TEST(Hasher, DependsOnContentAndOrder) {
  EXPECT_EQ(Hasher().text("ab").digest(), Hasher().text("ab").digest());
  EXPECT_NE(Hasher().text("ab").text("c").digest(), Hasher().text("a").text("bc").digest());
}

TEST(Shape, CountsAreCheckedForOverflow) {
  EXPECT_EQ(checked_element_count({2, 3, 4}), 24);
  EXPECT_EQ(checked_element_count({}), 1);
  EXPECT_EQ(checked_element_count({std::int64_t{1} << 40, std::int64_t{1} << 40}), std::nullopt);
  EXPECT_EQ(checked_element_count({std::int64_t{1} << 40, std::int64_t{1} << 40, 0}), 0);
  EXPECT_EQ(checked_element_count({-1}), std::nullopt);
}

TEST(Tensor, AnAbsurdSizeIsADiagnosticNotAnAllocation) {
  const auto tensor = Tensor::allocate({DataType::Float32, {1 << 20, 1 << 20}});
  ASSERT_FALSE(tensor);
  EXPECT_EQ(tensor.error().code, Code::ModelTooLarge);
}

TEST(Tensor, CopiesShareAndContentCompares) {
  const Tensor a = Tensor::of<std::int32_t>({2}, {1, 2}), b = Tensor::of<std::int32_t>({2}, {1, 2}),
               c = Tensor::of<std::int32_t>({2}, {1, 3});
  EXPECT_TRUE(a.same_content(b));
  EXPECT_FALSE(a.same_content(c));
  EXPECT_EQ(a.content_hash(), b.content_hash());
  EXPECT_EQ(a.to_integers(), (std::vector<std::int64_t>{1, 2}));
}

TEST(DataType, NamesRoundTrip) {
  for (int i = 0; i < 12; ++i) {
    const auto type = static_cast<DataType>(i);
    EXPECT_EQ(data_type_named(name(type)), type);
  }
  EXPECT_EQ(data_type_named("float31"), std::nullopt);
}

TEST(Caret, ShowsWhatIsNearOfALongLine) {
  EXPECT_EQ(caret("a b", 3), "  a b\n    ^");
  EXPECT_EQ(caret("", 1), "  \n  ^");
  EXPECT_EQ(caret(std::string("a\x01\x1b[0m", 6), 2), "  a..[0m\n   ^");
  const std::string shown = caret(std::string(500, 'a') + "!" + std::string(500, 'b'), 501);
  const std::size_t end = shown.find('\n');
  EXPECT_LT(end, 120u);
  EXPECT_EQ(shown[shown.find('^') - end - 1], '!');
}

// Names come from models and arguments, and may be as long as they like.
TEST(Diagnostics, AreOfALengthThatOneReads) {
  const std::string name = "begin" + std::string(100'000, 'x') + "end";
  const std::string said =
      to_string({Code::UsageInvalid, "there is no '" + name + "'", name, "not '" + name + "'"});
  EXPECT_LT(said.size(), 1200u);
  EXPECT_THAT(said, ::testing::HasSubstr("'beginxxx"));
  EXPECT_THAT(said, ::testing::HasSubstr("x…xxx"));
  EXPECT_THAT(said, ::testing::EndsWith("xxxend'"));
  std::string words;
  for (int i = 0; i < 10'000; ++i) words += "word ";
  EXPECT_LT(to_string({Code::UsageInvalid, words, {}, {}}).size(), 4100u);
  EXPECT_EQ(to_string({Code::UsageInvalid, "what", "where", "do this"}),
            "error LG8001: what\n  at where\n  hint: do this");
}

TEST(Excerpt, KeepsBothEndsAndWholeCharacters) {
  EXPECT_EQ(excerpt("0123456789", 10), "0123456789");
  EXPECT_EQ(excerpt("0123456789abc", 12), "012345…abc");
  // Of two bytes each: a cut within one would leave half of it.
  std::string umlauts;
  for (int i = 0; i < 40; ++i) umlauts += "ä";
  for (std::size_t most = 4; most < 60; ++most) {
    const std::string cut = excerpt(umlauts, most);
    EXPECT_LE(cut.size(), most);
    EXPECT_EQ(printable(cut), cut) << most;
  }
  EXPECT_EQ(excerpt("a  " + std::string(20, 'b') + "\nc", 9, 100), "a  bbbb…bb\nc");
}

TEST(ShellWord, IsQuotedWhereAShellWouldSplitIt) {
  EXPECT_EQ(shell_word("conv1:relu1"), "conv1:relu1");
  EXPECT_EQ(shell_word("merge a, b"), "'merge a, b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$HOME;x"), "'$HOME;x'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace loopglass
