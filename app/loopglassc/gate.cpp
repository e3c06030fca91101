#include "app/loopglassc/gate.h"

#include "app/common/numbers.h"
#include "app/common/print_json.h"
#include "app/common/text_file.h"
#include "app/loopglassc/baseline.h"
#include "core/support/readable_bytes.h"
#include "core/support/readable_time.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

std::string bytes(std::uint64_t count) { return readable_bytes(static_cast<std::int64_t>(count)); }

std::vector<std::string> exceeded_by(const Gate& gate, const Json& document) {
  std::vector<std::string> found;
  const std::size_t kernels = document.contains("kernel_count")
                                  ? document["kernel_count"].get<std::size_t>()
                                  : document.value("kernels", Json::array()).size();
  if (gate.max_kernels && kernels > *gate.max_kernels)
    found.push_back(fmt::format("{} kernels, {} more than --max-kernels {}", kernels,
                                kernels - *gate.max_kernels, *gate.max_kernels));
  if (gate.max_arena && document["arena_bytes"].get<std::uint64_t>() > *gate.max_arena) {
    const auto arena = document["arena_bytes"].get<std::uint64_t>();
    found.push_back(fmt::format("the arena takes {} ({} bytes), {} more than --max-arena {}",
                                bytes(arena), arena, bytes(arena - *gate.max_arena),
                                bytes(*gate.max_arena)));
  }
  if (gate.max_ms && document["median_us"].get<double>() > *gate.max_ms * 1e3) {
    const double median = document["median_us"];
    found.push_back(fmt::format(
        "the median is {}, {} more than --max-ms {}", readable_time(Microseconds(median)),
        readable_time(Microseconds(median - *gate.max_ms * 1e3)), *gate.max_ms));
  }
  return found;
}

// Times of other circumstances say nothing.
Result<void> check_circumstances(const Json& before, const Json& after, const std::string& file) {
  if (!after.contains("threads") || !after.contains("machine")) return {};
  if (before.value("threads", Json()) != after["threads"])
    return fail(Code::UsageInvalid,
                fmt::format("the baseline was measured on {} threads, and this on {}",
                            before.value("threads", Json()).dump(), after["threads"].dump()),
                file, "say the same --threads");
  if (before.value("machine", Json()) != after["machine"])
    return fail(Code::UsageInvalid, "the baseline was measured on another machine", file,
                fmt::format("write one on this, {}", after["machine"].get<std::string>()));
  return {};
}

}  // namespace

void add_gate(Command command, Gate& gate) {
  command
      .add_option("--max-kernels", gate.max_kernels,
                  "ends with 1 where there are more kernels, and says by how many")
      .check(whole_number(0, 1'000'000'000))
      .type_name("N");
  command
      .add_option("--max-arena", gate.max_arena,
                  "ends with 1 where intermediate results take more memory: 64KiB, 4MiB")
      .type_name("BYTES")
      .in_bytes();
  command
      .add_option("--baseline", gate.baseline,
                  fmt::format("says what changed since --json was written to this file, and ends "
                              "with 1 where that is worse: more kernels or bytes, an edge that is "
                              "fused no more, a median beyond both spreads and {:.0f} % more",
                              100 * time_tolerance))
      .check(not_blank())
      .type_name("FILE");
}

void add_time_gate(Command command, Gate& gate) {
  command
      .add_option("--max-ms", gate.max_ms,
                  "ends with 1 where the network's median is more milliseconds")
      .check(positive_number())
      .type_name("T");
}

Result<void> refuse_gate(const Gate& gate, const std::string& what, const std::string& hint) {
  for (const auto& [name, is_given] : {std::pair("--max-kernels", gate.max_kernels.has_value()),
                                       {"--max-arena", gate.max_arena.has_value()},
                                       {"--max-ms", gate.max_ms.has_value()},
                                       {"--baseline", gate.baseline.has_value()}})
    if (is_given)
      return fail(Code::UsageInvalid, fmt::format("{} says nothing about {}", name, what), name,
                  hint);
  return {};
}

Result<Json> read_baseline(const Gate& gate, Schema schema, const std::string& model) {
  if (!gate.baseline) return Json();
  const std::string& file = *gate.baseline;
  const std::string text =
      TRY(read_text(file, "the baseline", "--baseline", "name a file that --json was written to"));
  Json json = Json::parse(text, nullptr, false);
  const auto word = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (!json.is_object() || word("schema") != identifier(schema))
    return fail(Code::UsageInvalid,
                fmt::format("the baseline is no {}: {}", identifier(schema),
                            !json.is_object()        ? "it is no JSON object"
                            : word("schema").empty() ? "it names no schema"
                                                     : "it is " + word("schema")),
                file, "write it by the same command with --json");
  if (word("model") != model)
    return fail(
        Code::UsageInvalid,
        fmt::format("the baseline is of the model '{}', and this is '{}'", word("model"), model),
        file, "write one of this model with --json");
  return json;
}

Result<Exit> print_gated(const Gated& result, const Gate& gate, const Json& baseline, bool json) {
  const std::vector<std::string> exceeded = exceeded_by(gate, result.document);
  std::vector<std::string> changed, worse;
  if (gate.baseline) {
    TRY_VOID(check_circumstances(baseline, result.document, *gate.baseline));
    for (const Change& change : changes(baseline, result.document)) {
      changed.push_back(change.sentence);
      if (change.is_worse) worse.push_back(change.sentence);
    }
  }
  if (json) {
    Json document = result.document;
    if (gate.asks()) document["exceeded"] = exceeded;
    if (gate.baseline)
      document.update({{"baseline", *gate.baseline}, {"changes", changed}, {"worse", worse}});
    print_json(result.schema, result.model, document);
  } else {
    result.print();
    if (gate.baseline)
      fmt::print("\nsince {}:{}\n", *gate.baseline, changed.empty() ? " no change" : "");
    for (const std::string& sentence : changed) fmt::print("  {}\n", sentence);
  }
  for (const std::string& sentence : exceeded) fmt::print(stderr, "exceeded: {}\n", sentence);
  for (const std::string& sentence : worse)
    fmt::print(stderr, "worse than {}: {}\n", *gate.baseline, sentence);
  return exceeded.empty() && worse.empty() ? Exit::Good : Exit::Bad;
}

}  // namespace loopglass::app
