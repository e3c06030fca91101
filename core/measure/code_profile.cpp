#include "core/measure/code_profile.h"

#include "core/codegen/code_places.h"
#include "core/codegen/innermost_code.h"

#include <algorithm>

namespace loopglass::measure {

double CodeProfile::share(std::size_t line) const {
  return all > 0 ? static_cast<double>(samples[line]) / static_cast<double>(all) : 0;
}

Result<CodeProfile> profile_code(const ProfileAsked& asked, WorkerPool& workers,
                                 const Cancellation& cancellation) {
  const codegen::ObjectCode code =
      TRY(codegen::generate(asked.kernel.lowered(), asked.kernel.compile_options()));
  const codegen::SourceLines& assembly = asked.listings.assembly();
  const codegen::CodePlaces places = TRY(codegen::code_places(code, assembly));
  Request request{signature(asked.kernel.lowered())};
  request.code = code;
  request.machine = asked.machine;
  request.symbols = asked.symbols;
  request.sampling_milliseconds = asked.milliseconds;
  auto answer = workers.ask(request, cancellation);
  if (!answer) return std::unexpected(std::move(answer).error().diagnostic);
  CodeProfile profile;
  profile.milliseconds = answer->time.median_ms;
  profile.samples.resize(assembly.size());
  for (const Sample& sample : answer->samples) {
    profile.all += sample.count;
    if (const auto line = places.line_at(sample.offset)) profile.samples[*line] += sample.count;
    else profile.elsewhere += sample.count;
  }
  return profile;
}

std::vector<CodeRegion> hot_regions(const codegen::SourceLines& assembly,
                                    const CodeProfile& profile) {
  const std::vector<codegen::LoopSpan> loops = codegen::all_loops(assembly);
  std::vector<CodeRegion> regions;
  for (const codegen::LoopSpan& loop : loops) regions.push_back({loop, true, true, {}});
  for (CodeRegion& region : regions)
    region.is_innermost = std::ranges::none_of(loops, [&](const codegen::LoopSpan& other) {
      return codegen::is_within(other, region.span);
    });
  regions.push_back({{0, assembly.empty() ? 0 : assembly.size() - 1}, false, false, {}});
  for (std::size_t line = 0; line < assembly.size(); ++line) {
    // The loop that lies closest around; of the last region all are.
    CodeRegion* closest = &regions.back();
    for (CodeRegion& region : regions)
      if (region.span.first <= line && line <= region.span.last &&
          region.span.last - region.span.first < closest->span.last - closest->span.first)
        closest = &region;
    closest->lines.push_back(line);
    closest->samples += profile.samples[line];
  }
  std::erase_if(regions, [](const CodeRegion& region) { return region.samples == 0; });
  std::ranges::stable_sort(regions, std::greater(), &CodeRegion::samples);
  return regions;
}

}  // namespace loopglass::measure
