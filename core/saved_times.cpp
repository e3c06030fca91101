#include "core/saved_times.h"

#include "core/compiler_version.h"
#include "core/fusion/cost_model.h"
#include "core/runtime/thread_pool.h"
#include "core/support/hash.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace loopglass {
namespace {

using Json = nlohmann::ordered_json;
using runtime::BenchmarkReport;
using runtime::KernelTiming;
using runtime::Statistics;

constexpr double longest_ms = 1e12;
constexpr std::int64_t largest_count = std::int64_t{1} << 62;

// The members of each object, for writing and for reading.
template <class T, class Visit>
void for_each_member(
    T& statistics, const Visit& visit) requires std::is_same_v<std::remove_const_t<T>, Statistics> {
  visit("median_ms", statistics.median_ms);
  visit("lower_quartile_ms", statistics.lower_quartile_ms);
  visit("upper_quartile_ms", statistics.upper_quartile_ms);
  visit("minimum_ms", statistics.minimum_ms);
  visit("rounds", statistics.rounds);
}

template <class T, class Visit>
void for_each_member(
    T& load, const Visit& visit) requires std::is_same_v<std::remove_const_t<T>, MachineLoad> {
  visit("others", load.others);
  visit("processors", load.processors);
}

template <class T, class Visit>
void for_each_member(
    T& missing, const Visit& visit) requires std::is_same_v<std::remove_const_t<T>, Diagnostic> {
  visit("code", missing.code);
  visit("what", missing.what);
  visit("where", missing.where);
  visit("hint", missing.hint);
}

template <class T, class Visit>
void for_each_member(
    T& kernel, const Visit& visit) requires std::is_same_v<std::remove_const_t<T>, KernelTiming> {
  visit("group", kernel.group.value);
  visit("name", kernel.name);
  visit("time", kernel.time);
  visit("flops", kernel.flops);
  visit("bytes", kernel.bytes);
  visit("gflops", kernel.gflops);
  visit("gigabytes_per_second", kernel.gigabytes_per_second);
  visit("is_view", kernel.is_view);
  visit("missing", kernel.missing);
}

template <class T, class Visit>
void for_each_member(
    T& times, const Visit& visit) requires std::is_same_v<std::remove_const_t<T>, SavedTimes> {
  visit("when", times.when);
  visit("plan", times.of.plan);
  visit("machine", times.of.machine);
  visit("compiler", times.of.compiler);
  visit("schedules", times.of.schedules);
  visit("threads", times.report.threads);
  visit("shortage", times.report.shortage);
  visit("network", times.report.network);
  visit("fresh_outputs", times.report.fresh_outputs);
  visit("kernels", times.report.kernels);
  visit("flops", times.report.flops);
  visit("arena_bytes", times.report.arena_bytes);
  visit("arena_lower_bound", times.report.arena_lower_bound);
  visit("output_bytes", times.report.output_bytes);
  visit("load", times.report.load);
  visit("rounds", times.rounds);
}

// --- writing ---

Json json_of(bool value) { return value; }
Json json_of(int value) { return value; }
Json json_of(std::uint32_t value) { return value; }
Json json_of(std::int64_t value) { return value; }
Json json_of(double value) { return value; }
Json json_of(Code value) { return static_cast<int>(value); }
Json json_of(const std::string& value) { return value; }
template <class T>
Json json_of(const std::vector<T>& values);
template <class T>
Json json_of(const std::optional<T>& value);

template <class T>
Json json_of(const T& object) {
  Json json = Json::object();
  for_each_member(object, [&](const char* name, const auto& member) {
    Json written = json_of(member);
    if (!written.is_null()) json[name] = std::move(written);
  });
  return json;
}
template <class T>
Json json_of(const std::vector<T>& values) {
  Json json = Json::array();
  for (const T& value : values) json.push_back(json_of(value));
  return json;
}
template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : Json();
}

// --- reading ---

std::unexpected<Diagnostic> refuse_times(const std::string& path, std::string what) {
  return fail(Code::SessionCorrupt, std::move(what), path, "measure again, and save again");
}

Result<void> read_member(const Json& json, const std::string& path, bool& value) {
  if (!json.is_boolean()) return refuse_times(path, "expected true or false");
  value = json.get<bool>();
  return {};
}

template <class T>
Result<void> read_count(const Json& json, const std::string& path, T& value, std::int64_t most) {
  const bool fits =
      json.is_number_unsigned() && json.get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
  if (!fits) return refuse_times(path, fmt::format("expected a whole number from 0 to {}", most));
  value = static_cast<T>(json.get<std::uint64_t>());
  return {};
}
Result<void> read_member(const Json& json, const std::string& path, int& value) {
  return read_count(json, path, value, 1 << 30);
}
Result<void> read_member(const Json& json, const std::string& path, std::uint32_t& value) {
  return read_count(json, path, value, 1 << 30);
}
Result<void> read_member(const Json& json, const std::string& path, std::int64_t& value) {
  return read_count(json, path, value, largest_count);
}

Result<void> read_member(const Json& json, const std::string& path, double& value) {
  if (!json.is_number()) return refuse_times(path, "expected a number");
  value = json.get<double>();
  if (!(value >= 0 && value <= longest_ms))
    return refuse_times(path, fmt::format("expected a number from 0 to {}", longest_ms));
  return {};
}

Result<void> read_member(const Json& json, const std::string& path, std::string& value) {
  if (!json.is_string()) return refuse_times(path, "expected a string");
  value = json.get<std::string>();
  return {};
}

Result<void> read_member(const Json& json, const std::string& path, Code& value) {
  int number = 0;
  TRY_VOID(read_member(json, path, number));
  switch (static_cast<Code>(number)) {
#define CODE(name, number, title) case Code::name:
    LOOPGLASS_DIAGNOSTIC_CODES(CODE)
#undef CODE
    value = static_cast<Code>(number);
    return {};
  }
  return refuse_times(path, fmt::format("there is no diagnostic LG{}", number));
}

template <class T>
Result<void> read_member(const Json& json, const std::string& path, std::vector<T>& values);
template <class T>
Result<void> read_member(const Json& json, const std::string& path, std::optional<T>& value);

// Each member is there, but for those that may be missing, and nothing else is.
template <class T>
Result<void> read_member(const Json& json, const std::string& path, T& object) {
  if (!json.is_object()) return refuse_times(path, "expected an object");
  Result<void> done;
  std::size_t found = 0;
  for_each_member(object, [&]<class Member>(const char* name, Member& member) {
    if (!done) return;
    const auto there = json.find(name);
    if (there != json.end()) {
      ++found;
      done = read_member(*there, path + "." + name, member);
    } else if constexpr (!requires { member.has_value(); }) {
      done = refuse_times(path, fmt::format("'{}' is missing", name));
    }
  });
  if (done && found != json.size()) return refuse_times(path, "something here is not known");
  return done;
}

template <class T>
Result<void> read_member(const Json& json, const std::string& path, std::vector<T>& values) {
  if (!json.is_array()) return refuse_times(path, "expected a list");
  values.resize(json.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    TRY_VOID(read_member(json[i], fmt::format("{}[{}]", path, i), values[i]));
  return {};
}

template <class T>
Result<void> read_member(const Json& json, const std::string& path, std::optional<T>& value) {
  return read_member(json, path, value.emplace());
}

}  // namespace

MeasuredOf measured_of(const graph::Graph& graph, const fusion::Plan& plan,
                       const Machine& machine) {
  Hasher hasher;
  hasher.value(plan.groups.size());
  for (const fusion::Group& group : plan.groups) {
    std::vector<std::size_t> nodes;
    for (const graph::NodeId node : group.nodes) nodes.push_back(graph.position(node));
    std::sort(nodes.begin(), nodes.end());
    hasher.text(group.name).value(fusion::CostModel::structural_hash(graph, nodes));
  }
  return {fmt::format("{:016x}", hasher.digest()),
          fmt::format("{}, {} threads", machine.processor, runtime::hardware_threads()),
          std::string(compiler_version)};
}

std::string difference_words(const MeasuredOf& then, const MeasuredOf& now) {
  if (then.machine != now.machine) return fmt::format("another machine ({})", then.machine);
  if (then.compiler != now.compiler) return "another version of Loopglass";
  if (then.plan != now.plan) return "another plan";
  return then.schedules != now.schedules ? "other schedules" : "";
}

std::string to_json(const SavedTimes& times) {
  return json_of(times).dump(2, ' ', false, Json::error_handler_t::replace);
}

Result<SavedTimes> times_from_json(std::string_view text, const std::string& path) {
  const Json json = Json::parse(text, nullptr, false);
  SavedTimes times;
  TRY_VOID(read_member(json, path, times));
  const bool counts = std::ranges::all_of(times.report.kernels, [&](const KernelTiming& kernel) {
    return kernel.group.value < times.report.kernels.size();
  });
  if (!counts)
    return refuse_times(path + ".kernels", "a kernel's number is higher than there are kernels");
  if (times.report.threads < 1) return refuse_times(path + ".threads", "nothing runs on no thread");
  return times;
}

}  // namespace loopglass
