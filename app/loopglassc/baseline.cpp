#include "app/loopglassc/baseline.h"

#include "core/support/readable_bytes.h"
#include "core/support/readable_time.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct Size {
  const char *key, *words;
};
// In bytes, and what a person calls them.
constexpr std::array sizes{
    Size{"arena_bytes", "the arena"}, Size{"workspace_bytes", "scratch memory of kernels"},
    Size{"constant_bytes", "constants"}, Size{"packed_bytes", "constants packed for kernels"}};

const Json* number(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? &*found : nullptr;
}

std::string percent(double before, double after) {
  return before > 0 ? fmt::format(" ({:+.1f} %)", 100 * (after - before) / before) : "";
}

void compare_sizes(const Json& before, const Json& after, std::vector<Change>& found) {
  for (const Size& size : sizes) {
    const Json *was = number(before, size.key), *is = number(after, size.key);
    if (!was || !is || *was == *is) continue;
    found.push_back(
        {fmt::format("{} {} instead of {}{}", size.words, readable_bytes(is->get<std::int64_t>()),
                     readable_bytes(was->get<std::int64_t>()),
                     percent(was->get<double>(), is->get<double>())),
         *is > *was});
  }
}

// Repeated layers have kernels of one name: they are told apart by their order.
std::map<std::string, const Json*> kernels_by_name(const Json& document) {
  std::map<std::string, const Json*> kernels;
  std::map<std::string, int> seen;
  const auto list = document.find("kernels");
  if (list == document.end() || !list->is_array()) return kernels;
  for (const Json& kernel : *list) {
    if (!kernel.is_object()) continue;
    const std::string name = kernel.value("name", std::string());
    const int count = ++seen[name];
    kernels.emplace(count > 1 ? fmt::format("{} ({})", name, count) : name, &kernel);
  }
  return kernels;
}

std::optional<std::size_t> kernel_count(const Json& document) {
  if (const Json* count = number(document, "kernel_count")) return count->get<std::size_t>();
  const auto list = document.find("kernels");
  return list != document.end() && list->is_array() ? std::optional(list->size()) : std::nullopt;
}

struct Times {
  double median, low, high;
};
std::optional<Times> times_of(const Json& json) {
  const Json *median = number(json, "median_us"), *low = number(json, "lower_quartile_us"),
             *high = number(json, "upper_quartile_us");
  if (!median || !low || !high) return std::nullopt;
  return Times{median->get<double>(), low->get<double>(), high->get<double>()};
}

// Beyond the spread of both, and the tolerance.
std::optional<Change> compare_times(const std::string& what, const Json& before,
                                    const Json& after) {
  const auto was = times_of(before), is = times_of(after);
  if (!was || !is) return std::nullopt;
  const bool slower = is->low > was->high && is->median > was->median * (1 + time_tolerance);
  const bool faster = is->high < was->low && was->median > is->median * (1 + time_tolerance);
  if (!slower && !faster) return std::nullopt;
  return Change{
      fmt::format("{} takes {} instead of {}{}", what, readable_time(Microseconds(is->median)),
                  readable_time(Microseconds(was->median)), percent(was->median, is->median)),
      slower};
}

void compare_kernels(const Json& before, const Json& after, std::vector<Change>& found) {
  const auto was = kernels_by_name(before), is = kernels_by_name(after);
  for (const auto& [name, kernel] : is)
    if (!was.contains(name)) found.push_back({fmt::format("kernel {} is new", name), false});
  for (const auto& [name, kernel] : was)
    if (!is.contains(name)) found.push_back({fmt::format("kernel {} is gone", name), false});
  const auto count_before = kernel_count(before), count_after = kernel_count(after);
  if (count_before && count_after && *count_before != *count_after)
    found.push_back({fmt::format("{} kernels instead of {}", *count_after, *count_before),
                     *count_after > *count_before});
  for (const auto& [name, kernel] : is)
    if (const auto old = was.find(name); old != was.end())
      if (auto change = compare_times("kernel " + name, *old->second, *kernel)) {
        change->is_worse = false;
        found.push_back(*std::move(change));
      }
}

std::map<std::string, const Json*> edges_by_ends(const Json& document) {
  std::map<std::string, const Json*> edges;
  const auto list = document.find("edges");
  if (list == document.end() || !list->is_array()) return edges;
  for (const Json& edge : *list)
    if (edge.is_object() && edge.contains("fused") && edge["fused"].is_boolean())
      edges.emplace(fmt::format("{} -> {}", edge.value("producer", std::string()),
                                edge.value("consumer", std::string())),
                    &edge);
  return edges;
}

void compare_edges(const Json& before, const Json& after, std::vector<Change>& found) {
  const auto was = edges_by_ends(before), is = edges_by_ends(after);
  const auto verdict = [](const Json& edge) { return edge.value("reason", std::string()); };
  for (const auto& [ends, edge] : is) {
    const auto old = was.find(ends);
    if (old == was.end()) found.push_back({fmt::format("edge {} is new", ends), false});
    else if (verdict(*edge) != verdict(*old->second))
      found.push_back(
          {fmt::format("edge {} is {} instead of {}", ends, verdict(*edge), verdict(*old->second)),
           (*old->second)["fused"].get<bool>() && !(*edge)["fused"].get<bool>()});
  }
  for (const auto& [ends, edge] : was)
    if (!is.contains(ends)) found.push_back({fmt::format("edge {} is gone", ends), false});
}

}  // namespace

std::vector<Change> changes(const Json& before, const Json& after) {
  std::vector<Change> found;
  compare_kernels(before, after, found);
  compare_edges(before, after, found);
  compare_sizes(before, after, found);
  if (auto change = compare_times("the network", before, after)) found.push_back(*change);
  return found;
}

}  // namespace loopglass::app
