// What may be shown on a terminal.
#include "core/support/printable.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace loopglass {
namespace {

TEST(Printable, PlainTextStays) {
  for (const char* text : {"", "conv1: float32[1x3]\n\tindented", "− × →  “é” 漢字 𝄞"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ControlCharactersAreShownAsJsonWritesThem) {
  EXPECT_EQ(printable("\x1b[31mred"), "\\u001b[31mred");
  EXPECT_EQ(printable(std::string_view("a\0b\r\a\x7f", 6)), "a\\u0000b\\u000d\\u0007\\u007f");
  // The control sequence introducer as one character, U+009B.
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");
  EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0");
  // So what is in JSON stays what it was.
  const std::string named = nlohmann::json("\x1b \x7f \xc2\x9b").dump();
  EXPECT_EQ(nlohmann::json::parse(printable(named)), "\x1b \x7f \xc2\x9b");
}

TEST(Printable, BytesThatAreNotUtf8AreShownAsNumbers) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("a\x9b"
                      "b"),
            "a\\x9bb");
  EXPECT_EQ(printable("\xc3("), "\\xc3(");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
  // Longer than needed, half of a surrogate pair, beyond Unicode.
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");
  EXPECT_EQ(printable("\xe0\x82\x9b"), "\\xe0\\x82\\x9b");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

// Wherever a text is cut, its pieces print as the whole does.
TEST(Printable, PiecesPrintAsTheWhole) {
  const std::string whole = "a\xc3\xa9 \xe2\x86\x92\xf0\x9d\x84\x9e\xe2\x82 \xff\xf0\x9d \xc2\x9b";
  for (std::size_t first = 0; first <= whole.size(); ++first)
    for (std::size_t second = first; second <= whole.size(); ++second) {
      std::string shown, held;
      for (const std::string& piece :
           {whole.substr(0, first), whole.substr(first, second - first), whole.substr(second)}) {
        held += piece;
        const std::size_t ready = held.size() - unfinished_bytes(held);
        shown += printable(held.substr(0, ready));
        held.erase(0, ready);
      }
      EXPECT_EQ(shown + printable(held), printable(whole)) << first << ", " << second;
    }
}

}  // namespace
}  // namespace loopglass
