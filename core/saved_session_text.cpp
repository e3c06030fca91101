#include "core/saved_session_text.h"

#include <nlohmann/json.hpp>
#include <set>

namespace loopglass::saved {

namespace {

constexpr int deepest = 16;
constexpr std::string_view session_key = "\"loopglass_session\"";

std::string place_of_byte(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 where there is none
  return fmt::format("line {}, column {}", std::count(before.begin(), before.end(), '\n') + 1,
                     before.size() - line_begin + 1);
}

// "[json.exception...] parse error at line 1, column 3: what is wrong" without what we say
// ourselves. Without what was read last, which may be most of the file.
std::string reason(std::string message) {
  if (const std::size_t last = message.find("; last read"); last != std::string::npos)
    message.resize(last);
  if (const std::size_t column = message.find("column "); column != std::string::npos)
    if (const std::size_t colon = message.find(": ", column); colon != std::string::npos)
      return message.substr(colon + 2);
  const std::size_t bracket = message.find("] ");
  return bracket == std::string::npos ? message : message.substr(bracket + 2);
}

// Notices what the library lets pass: names that an object has twice, and depths at which nothing
// of a session lies. Before anything is made of the text: made under the library's own watch, each
// of 100,000 things in a list costs a look at all that came before it.
class Watch : public nlohmann::json_sax<ReadJson> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(std::int64_t) override { return true; }
  bool number_unsigned(std::uint64_t) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(ReadJson::binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    keys_.emplace_back();
    return enter();
  }
  bool end_object() override {
    keys_.pop_back();
    return leave();
  }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool key(std::string& name) override {
    if (!keys_.back().insert(name).second && twice.empty()) twice = name;
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::detail::exception& error) override {
    problem = reason(error.what());
    place = byte;
    return false;
  }

  std::string twice, problem;  // the problem: why it is no JSON
  std::size_t place = 0;       // byte of it
  bool too_deep = false;

 private:
  bool enter() {
    too_deep = ++depth_ > deepest;
    return !too_deep;
  }
  bool leave() {
    --depth_;
    return true;
  }

  std::vector<std::set<std::string>> keys_;
  int depth_ = 0;
};

// What begins as a session and does not end as one was cut off or damaged.
std::unexpected<Diagnostic> refuse_text(std::string_view text, std::string what,
                                        std::string where = {}) {
  if (text.find(session_key) == std::string_view::npos)
    return fail(Code::NoSession, "this is no session: " + what, std::move(where),
                what_sessions_are);
  return fail(Code::SessionCorrupt, "the session is damaged or cut off: " + what, std::move(where),
              "bring back a copy, or a session that the window keeps (loopglassc session)");
}

}  // namespace

Result<ReadJson> parse_json(std::string_view text) {
  Watch watch;
  const bool is_whole = ReadJson::sax_parse(text.begin(), text.end(), &watch);
  if (watch.too_deep)
    return refuse_text(text, fmt::format("values lie in one another more than {} deep", deepest));
  if (!is_whole)
    return refuse_text(text, "the text is no JSON: " + watch.problem,
                       place_of_byte(text, watch.place));
  if (!watch.twice.empty())
    return refuse_text(text,
                       fmt::format("an object has two values for '{}'", shortened(watch.twice)));
  return ReadJson::parse(text.begin(), text.end());
}

}  // namespace loopglass::saved
