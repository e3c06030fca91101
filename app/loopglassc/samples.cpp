// loopglassc samples: the networks and kernels that come with Loopglass; naming a network writes it
// to the cache, naming a kernel shows its text.
#include "samples/samples.h"
#include "app/common/table.h"
#include "app/common/vocabulary.h"
#include "app/loopglassc/declare.h"
#include "core/support/suggestion.h"
#include "samples/kernel_samples.h"

#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct SamplesOptions {
  std::string name;
  bool json = false;
};

Result<Exit> list(const SamplesOptions& options) {
  Json rows = Json::array();
  for (const samples::Sample& sample : samples::all_samples()) {
    if (!options.name.empty() && sample.name != options.name) continue;
    rows.push_back({{"name", sample.name},
                    {"title", sample.title},
                    {"doc", sample.doc},
                    {"image_size", sample.image_size}});
    if (!options.name.empty()) rows.back()["path"] = TRY(samples::sample_path(sample)).string();
  }
  for (const samples::KernelSample& sample : samples::all_kernel_samples()) {
    if (!options.name.empty() && sample.name != options.name) continue;
    rows.push_back({{"name", sample.name}, {"title", sample.title}, {"doc", sample.doc}});
    rows.back()["text"] = sample.text;
  }
  if (rows.empty())
    return fail(Code::SampleUnknown, fmt::format("there is no sample named '{}'", options.name), {},
                did_you_mean(options.name, sample_names(), "loopglassc samples lists them all"));
  if (options.json) {
    print_json(Schema::Samples, Json{{"samples", std::move(rows)}});
  } else {
    // A kernel's text alone, so that it can be kept in a file.
    if (!options.name.empty() && rows[0].contains("text")) {
      fmt::print("{}", rows[0]["text"].get<std::string>());
      return Exit::Good;
    }
    Table table({Column::word(""), Column::word("")});
    for (const Json& row : rows)
      table.add({row["name"].get<std::string>(), row["doc"].get<std::string>()});
    table.print();
    if (!options.name.empty()) fmt::print("{}\n", rows[0]["path"].get<std::string>());
  }
  return Exit::Good;
}

}  // namespace

void add_samples(Command app, Action& chosen) {
  const auto [command, options] = declare<SamplesOptions>(
      app, chosen, "samples",
      "lists the sample networks and kernels; with NAME, writes that network and "
      "says where, or shows the kernel",
      list, "as JSON");
  command.add_option("name", options->name, "a sample").type_name("NAME").suggests(sample_names);
}

}  // namespace loopglass::app
