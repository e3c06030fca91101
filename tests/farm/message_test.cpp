// Messages come back as they were sent, and texts that are none are refused.
#include "core/farm/message.h"

#include "core/loop/text.h"
#include "core/machine/host.h"
#include "tests/tune/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::farm {
namespace {

Job some_job() {
  Job job = job_of(tune::product(), "vectorize(j)\n");
  job.symbols = {{"n", 7}};
  job.scripts = {"", "i_o, i_i = split(i, [-1, 4])\n"};
  job.attempt = 3;
  job.turns = 5;
  job.best_ms = 0.25;
  return job;
}

TEST(Message, JobsComeBack) {
  const Job job = some_job();
  const auto back = job_in(to_text(job));
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(*back, job);
  ASSERT_TRUE(loop::parse(back->nest));
}

TEST(Message, AJobIsKnownByWhatIsMeasured) {
  const Job job = some_job();
  EXPECT_EQ(id_of(job).size(), 16u);
  Job same = job;
  same.best_ms = 1, same.attempt = 0;
  EXPECT_EQ(id_of(same), id_of(job));
  for (const auto change : std::vector<void (*)(Job&)>{
           [](Job& other) { other.scripts.pop_back(); },
           [](Job& other) { std::swap(other.scripts[0], other.scripts[1]); },
           [](Job& other) { other.threads = 2; }, [](Job& other) { other.turns = 0; },
           [](Job& other) { other.symbols["n"] = 8; }, [](Job& other) { other.nest += " "; },
           [](Job& other) { other.reference.clear(); }}) {
    Job other = job;
    change(other);
    EXPECT_NE(id_of(other), id_of(job));
  }
}

TEST(Message, ResultsComeBack) {
  tune::Outcome good = tune::took(0.125);
  good.left_early = true;
  good.compiling_ms = 3;
  tune::Outcome bad;
  bad.failure = measure::Failure{
      measure::FailureKind::Crashed, {Code::WorkerCrashed, "what", "where", "hint"}, 11};
  const auto back = job_result_in(to_text(JobResult{"0123456789abcdef", "here-1", 2, {good, bad}}));
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(back->id, "0123456789abcdef");
  EXPECT_EQ(back->attempt, 2);
  ASSERT_EQ(back->outcomes.size(), 2u);
  EXPECT_EQ(back->outcomes[0].time, good.time);
  EXPECT_TRUE(back->outcomes[0].left_early);
  EXPECT_EQ(back->outcomes[0].worker, "here-1");
  ASSERT_TRUE(back->outcomes[1].failure);
  EXPECT_EQ(back->outcomes[1].failure->kind, measure::FailureKind::Crashed);
  EXPECT_EQ(back->outcomes[1].failure->diagnostic, bad.failure->diagnostic);
  EXPECT_EQ(back->outcomes[1].failure->signal, 11);
}

TEST(Message, NoticesComeBack) {
  const Machine machine = host_machine();
  const WorkerNotice notice{"here-1", capability_of(machine, "abc"), machine, "conv1", 17};
  const auto back = worker_notice_in(to_text(notice));
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(back->name, "here-1");
  EXPECT_EQ(back->capability, notice.capability);
  EXPECT_EQ(back->capability.digest(), notice.capability.digest());
  EXPECT_EQ(back->machine, machine);
  EXPECT_EQ(back->done, 17u);
}

TEST(Message, NonsenseIsRefused) {
  const std::string job = to_text(some_job());
  for (
      const std::string& text :
      {std::string(), std::string("{}"), std::string("[]"), std::string("null"),
       std::string("\xff"), job.substr(0, job.size() / 2), std::string(R"({"loopglass_farm":2})"),
       std::string(R"({"loopglass_farm":1,"id":"x","worker":"y","attempt":0,"outcomes":[{}]})"),
       std::string(
           R"({"loopglass_farm":1,"id":"x","worker":"y","attempt":0,"outcomes":[{"left_early":false,)"
           R"("same_code":false,"compiling_ms":1,"measuring_ms":1}]})")}) {
    EXPECT_FALSE(job_in(text)) << text;
    EXPECT_FALSE(job_result_in(text)) << text;
    EXPECT_FALSE(worker_notice_in(text)) << text;
  }
  // Numbers that nobody means.
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"\"turns\":5", "\"turns\":2147483647"},
                                                        {"\"turns\":5", "\"turns\":-1"},
                                                        {"\"attempt\":3", "\"attempt\":1e300"},
                                                        {"\"threads\":1", "\"threads\":0"},
                                                        {"\"best_ms\":0.25", "\"best_ms\":-1"}}) {
    std::string other = job;
    ASSERT_NE(other.find(from), std::string::npos) << from;
    other.replace(other.find(from), from.size(), to);
    EXPECT_FALSE(job_in(other)) << to;
  }
  // Every cut of a job is refused, and none ends the process.
  for (std::size_t cut = 0; cut < job.size(); cut += 7) EXPECT_FALSE(job_in(job.substr(0, cut)));
}

}  // namespace
}  // namespace loopglass::farm
