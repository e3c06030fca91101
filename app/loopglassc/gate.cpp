#include "app/loopglassc/gate.h"

#include "app/common/numbers.h"
#include "app/common/print_json.h"
#include "app/common/text_file.h"
#include "app/loopglassc/baseline.h"
#include "core/support/counted.h"
#include "core/support/readable_bytes.h"
#include "core/support/readable_time.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

std::string bytes(std::uint64_t count) { return readable_bytes(static_cast<std::int64_t>(count)); }

// Bounds, a list of {field, value, limit, sentence}.
Json exceeded_by(const Gate& gate, const Json& document) {
  Json found = Json::array();
  const auto add = [&](const char* field, const auto& limit, const std::string& sentence) {
    found.push_back(
        {{"field", field}, {"value", document[field]}, {"limit", limit}, {"sentence", sentence}});
  };
  if (gate.max_kernels && document["kernel_count"].get<std::uint64_t>() > *gate.max_kernels) {
    const auto kernels = document["kernel_count"].get<std::uint64_t>();
    add("kernel_count", *gate.max_kernels,
        fmt::format("{} kernels, {} more than --max-kernels {}", kernels,
                    kernels - *gate.max_kernels, *gate.max_kernels));
  }
  if (gate.max_arena && document["arena_bytes"].get<std::uint64_t>() > *gate.max_arena) {
    const auto arena = document["arena_bytes"].get<std::uint64_t>();
    add("arena_bytes", *gate.max_arena,
        fmt::format("the arena takes {} ({} bytes), {} more than --max-arena {}", bytes(arena),
                    arena, bytes(arena - *gate.max_arena), bytes(*gate.max_arena)));
  }
  if (gate.max_ms && document["median_us"].get<double>() > *gate.max_ms * 1e3) {
    const double median = document["median_us"];
    add("median_us", *gate.max_ms * 1e3,
        fmt::format("the median is {}, {} more than --max-ms {}",
                    readable_time(Microseconds(median)),
                    readable_time(Microseconds(median - *gate.max_ms * 1e3)), *gate.max_ms));
  }
  return found;
}

// What the model takes: the same model by other shapes is another piece of work.
Result<Json> inputs_of(Session& session) {
  const auto graph = TRY(session.graph());
  Json inputs = Json::array();
  for (const graph::ValueId input : graph->inputs()) {
    const graph::Value& value = graph->value(input);
    inputs.push_back({{"name", value.name}, {"type", to_string(value.type)}});
  }
  return inputs;
}

std::string words_of(const Json& inputs) {
  std::vector<std::string> words;
  for (const Json& input : inputs)
    words.push_back(
        fmt::format("{} {}", input["name"].get<std::string>(), input["type"].get<std::string>()));
  return fmt::format("{}", fmt::join(words, ", "));
}

// "2 threads", of a document from anywhere.
std::string threads(const Json& count) {
  return count.is_number_unsigned() ? counted(count.get<std::size_t>(), "thread")
                                    : fmt::format("{} threads", count.dump());
}

// Times of other circumstances say nothing.
Result<void> check_circumstances(const Json& before, const Json& after, const std::string& file) {
  if (!after.contains("threads") || !after.contains("machine")) return {};
  if (before.value("threads", Json()) != after["threads"])
    return fail(Code::UsageInvalid,
                fmt::format("the baseline was measured on {}, and this on {}",
                            threads(before.value("threads", Json())), threads(after["threads"])),
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

Result<Json> read_baseline(const Gate& gate, Schema schema, Session& session) {
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
  constexpr const char* write_one = "write one of this model with --json";
  if (word("model") != session.model_name())
    return fail(Code::UsageInvalid,
                fmt::format("the baseline is of the model '{}', and this is '{}'", word("model"),
                            session.model_name()),
                file, write_one);
  const Json inputs = TRY(inputs_of(session));
  if (json.value("inputs", Json()) != inputs)
    return fail(Code::UsageInvalid,
                fmt::format("the baseline is of other inputs than {}", words_of(inputs)), file,
                write_one);
  return json;
}

bool takes_too_long(const Gate& gate, const Json& baseline, const Json& document) {
  const auto of_time = [](const Json& entry) { return entry["field"] == "median_us"; };
  if (std::ranges::any_of(exceeded_by(gate, document), of_time)) return true;
  if (!gate.baseline || !incomparable(baseline, document).empty()) return false;
  return std::ranges::any_of(changes(baseline, document), [&](const Json& change) {
    return of_time(change) && change["worse"].get<bool>();
  });
}

Result<Exit> print_gated(const Gated& result, const Gate& gate, const Json& baseline, bool json) {
  const Json exceeded = exceeded_by(gate, result.document);
  Json changed = Json::array();
  if (gate.baseline) {
    TRY_VOID(check_circumstances(baseline, result.document, *gate.baseline));
    if (const std::string field = incomparable(baseline, result.document); !field.empty())
      return fail(Code::UsageInvalid,
                  fmt::format("the baseline has no {} that could be compared", field),
                  *gate.baseline, "write it by the same command with --json");
    changed = changes(baseline, result.document);
  }
  const auto sentence = [](const Json& entry) { return entry["sentence"].get<std::string>(); };
  if (json) {
    Json document;
    document["inputs"] = TRY(inputs_of(result.session));
    document.update(result.document);
    if (result.limit) document["memory_limit"] = to_json(*result.limit);
    if (gate.asks()) document["exceeded"] = exceeded;
    if (gate.baseline) document.update({{"baseline", *gate.baseline}, {"changes", changed}});
    print_json(result.schema, result.session.model_name(), document);
  } else {
    result.print();
    if (gate.baseline)
      fmt::print("\nsince {}:{}\n", *gate.baseline, changed.empty() ? " no change" : "");
    for (const Json& change : changed) fmt::print("  {}\n", sentence(change));
  }
  bool is_good = exceeded.empty();
  for (const Json& bound : exceeded) fmt::print(stderr, "exceeded: {}\n", sentence(bound));
  for (const Json& change : changed) {
    if (!change["worse"].get<bool>()) continue;
    is_good = false;
    fmt::print(stderr, "worse than {}: {}\n", *gate.baseline, sentence(change));
  }
  const auto load = result.document.find("load");
  if (load != result.document.end() && load->is_object() && (*load)["busy"].get<bool>() &&
      takes_too_long(gate, baseline, result.document))
    fmt::print(stderr, "note: others kept {:.1f} of {} processors busy meanwhile\n",
               (*load)["others"].get<double>(), (*load)["processors"].get<int>());
  return is_good ? Exit::Good : Exit::Bad;
}

}  // namespace loopglass::app
