// Records: what is written comes back, whatever befell the writer.
#include "core/tune/record.h"

#include "core/loop/text.h"
#include "core/tune/tuning.h"
#include "tests/tune/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

namespace loopglass::tune {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RecordFiles : public ::testing::Test {
 protected:
  RecordFiles()
      : folder_(std::filesystem::temp_directory_path() /
                ("loopglass_records_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~RecordFiles() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& name = "r.jsonl") const { return folder_ / name; }
  std::string text_of(const std::filesystem::path& path) const {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  const std::filesystem::path folder_;
};

Record record(int trial, double ms) {
  Record record;
  record.workload = workload_of(product());
  record.kernel = "product";
  record.conditions = {"a processor", "a target", "1234", 2, {{"n", 7}}};
  record.run = "run";
  record.space = "construct";
  record.search = "droplet";
  record.cost_model = "net";
  record.layout = "al";
  record.seed = 18446744073709551615U;
  record.trial = trial;
  record.how = "mutation";
  record.words = "a \"sketch\": tile 4x2\n";
  record.parents = {1, 2};
  record.script = "vectorize(j)\n";
  record.predicted = 0.25;
  record.time = runtime::Statistics{ms, ms * 0.9, ms * 1.1, ms * 0.8, 10};
  record.flops = 1e6;
  record.seconds = 1.5;
  return record;
}

bool same(const Record& a, const Record& b) { return to_line(a) == to_line(b); }

TEST_F(RecordFiles, ComeBackAsTheyWere) {
  Record failed = record(2, 1);
  failed.time.reset();
  failed.failure = "timed out";
  failed.reason = "took longer than 60 s";
  failed.predicted.reset();
  Record last = record(3, 2);
  last.is_final = true;
  last.left_early = true;
  last.same_code = true;
  {
    const auto opened = RecordFile::open(file());
    ASSERT_TRUE(opened) << to_string(opened.error());
    EXPECT_TRUE((*opened)->append_workload(workload_of(product()), "product", product().nest));
    EXPECT_TRUE((*opened)->append_workload(workload_of(product()), "product", product().nest));
    for (const Record& each : {record(1, 3), failed, last})
      EXPECT_TRUE((*opened)->append(to_line(each)));
  }
  const auto read = read_records(file());
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_TRUE(read->passed_over.empty());
  EXPECT_EQ(read->nests.size(), 1u);
  ASSERT_EQ(read->records.size(), 3u);
  EXPECT_TRUE(same(read->records[0], record(1, 3)));
  EXPECT_TRUE(same(read->records[1], failed));
  EXPECT_TRUE(same(read->records[2], last));
  // Each once, however often a file is merged with itself.
  Records twice = *read;
  twice.add(*read);
  const auto merged = parse_records(to_text(twice));
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->records.size(), 3u);
  // The workload's line is not written again by who opens the file later.
  const auto again = RecordFile::open(file());
  ASSERT_TRUE(again);
  const std::string before = text_of(file());
  EXPECT_TRUE((*again)->append_workload(workload_of(product()), "product", product().nest));
  EXPECT_EQ(text_of(file()), before);
}

// Cut anywhere: what was whole is there, and what comes after it.
TEST_F(RecordFiles, SurviveAWriterThatWasKilled) {
  const std::string line = to_line(record(1, 3));
  for (std::size_t cut = 0; cut <= line.size(); cut += 7) {
    std::ofstream(file(), std::ios::trunc) << line << line.substr(0, cut);
    const auto opened = RecordFile::open(file());
    ASSERT_TRUE(opened) << to_string(opened.error());
    ASSERT_TRUE((*opened)->append(to_line(record(2, 4))));
    const auto read = read_records(file());
    ASSERT_TRUE(read);
    const bool is_whole = cut >= line.size() - 1;
    ASSERT_EQ(read->records.size(), is_whole ? 3u : 2u) << cut;
    EXPECT_EQ(read->records.back().trial, 2);
    EXPECT_EQ(read->passed_over.size(), cut > 0 && !is_whole ? 1u : 0u);
  }
}

TEST_F(RecordFiles, SayWhatIsWrongWithALine) {
  const std::string good = to_line(record(1, 3));
  const auto read = parse_records(good + "nonsense\n{\"loopglass_record\": 1}\n{}\n" +
                                  "{\"loopglass_record\": 99}\n[1]\n\n" + good);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->records.size(), 2u);
  EXPECT_THAT(read->passed_over,
              ElementsAre(HasSubstr("line 2: it is cut short"), HasSubstr("line 3: it lacks"),
                          HasSubstr("line 4: it is no record"), HasSubstr("line 5: version 99"),
                          HasSubstr("line 6: it is no record")));
  EXPECT_EQ(parse_records("{}\nno\n").error().code, Code::RecordsUnreadable);
  EXPECT_TRUE(parse_records(good.substr(0, 9))) << "all that a killed writer left";
  EXPECT_TRUE(parse_records(good.substr(0, 90)));
  EXPECT_TRUE(parse_records(""));
  EXPECT_EQ(read_records(file("missing")).error().code, Code::RecordsUnreadable);
  EXPECT_EQ(read_records(folder_).error().code, Code::RecordsUnreadable);
}

// A file of something else stays what it is.
// Of two lines that say otherwise of one trial the first counts, and the other is named.
TEST_F(RecordFiles, AreToldWhereTheyContradictOneAnother) {
  const std::string once = to_line(record(1, 2.0)), again = to_line(record(1, 0.01));
  Record in_turns = record(1, 1.9);
  in_turns.is_final = true;
  const auto records = parse_records(once + to_line(in_turns) + once + again);
  ASSERT_TRUE(records);
  EXPECT_EQ(records->records.size(), 3u) << "the same line twice is no contradiction";
  EXPECT_THAT(records->passed_over,
              ElementsAre(AllOf(HasSubstr("line 4"), HasSubstr("trial 1 of 'product'"))));
  std::string odd = once;
  odd.replace(odd.find("\"trial\":1"), 9, "\"trial\":-5");
  EXPECT_THAT(parse_records(once + odd)->passed_over, ElementsAre(HasSubstr("line 2")));
}

TEST_F(RecordFiles, AreNotWrittenIntoOtherFiles) {
  std::ofstream(file()) << "my notes\n";
  EXPECT_EQ(RecordFile::open(file()).error().code, Code::RecordsUnreadable);
  EXPECT_EQ(text_of(file()), "my notes\n");
  EXPECT_FALSE(RecordFile::open(folder_ / "no_folder" / "r.jsonl"));
  EXPECT_FALSE(RecordFile::open(folder_));
}

TEST_F(RecordFiles, TellWhereTheFileIsGone) {
  const auto opened = RecordFile::open(file());
  ASSERT_TRUE(opened);
  std::filesystem::remove(file());
  const auto written = (*opened)->append(to_line(record(1, 1)));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Code::RecordsUnwritable);
}

TEST_F(RecordFiles, AreNoPipes) {
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_records(file("pipe")).error().code, Code::RecordsUnreadable);
  EXPECT_EQ(RecordFile::open(file("pipe")).error().code, Code::RecordsUnwritable);
}

TEST_F(RecordFiles, TellOfAFullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  const auto opened = RecordFile::open("/dev/full");
  ASSERT_TRUE(opened);
  const auto written = (*opened)->append(to_line(record(1, 1)));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Code::DiskFull);
}

// Several at once: every line is whole.
TEST_F(RecordFiles, TakeLinesOfSeveralProcesses) {
  constexpr int writers = 4, lines = 200;
  std::vector<pid_t> children;
  for (int w = 0; w < writers; ++w) {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto opened = RecordFile::open(file());
      bool good = opened.has_value();
      for (int i = 0; good && i < lines; ++i)
        good = (*opened)->append(to_line(record(w * lines + i, 1))).has_value();
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const auto read = read_records(file());
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->passed_over.empty());
  std::set<int> trials;
  for (const Record& each : read->records) trials.insert(each.trial);
  EXPECT_EQ(trials.size(), static_cast<std::size_t>(writers * lines));
}

TEST(Records, GiveTheBestUnderLikeConditions) {
  Records records;
  const Record usual = record(0, 5);
  const Conditions here = usual.conditions;
  EXPECT_EQ(best_of(records, usual.workload, here), nullptr);
  records.records = {usual, record(1, 3), record(2, 1), record(3, 2)};
  records.records[2].left_early = true;
  EXPECT_EQ(best_of(records, usual.workload, here)->trial, 3);
  // In turns, a lucky moment does not count.
  records.records.push_back(record(3, 4));
  records.records.back().is_final = true;
  records.records.push_back(record(1, 3.5));
  records.records.back().is_final = true;
  EXPECT_EQ(best_of(records, usual.workload, here)->trial, 1);
  // What is faster by next to nothing is not kept, and so not applied.
  records.records.push_back(record(0, 3.52));
  records.records.back().is_final = true;
  EXPECT_EQ(best_of(records, usual.workload, here)->trial, 0);
  records.records.back().time->median_ms = 3.65;
  EXPECT_EQ(best_of(records, usual.workload, here)->trial, 1);
  // What is slower in its network is not, however fast it is by itself; other runs' are their own.
  Records in_network = records;
  in_network.records.push_back(record(0, 3.65));
  in_network.records.back().is_final = in_network.records.back().is_withdrawn = true;
  in_network = parse_records(to_text(in_network)).value();
  EXPECT_EQ(best_of(in_network, usual.workload, here)->trial, 0);
  in_network.records.push_back(record(4, 3.1));
  in_network.records.back().is_final = true;
  in_network.records.back().run = "another run";
  EXPECT_EQ(best_of(in_network, usual.workload, here)->trial, 4);
  // A run that was stopped has no turns: what it found counts where it is faster by more than luck.
  Records stopped = records;
  stopped.records.push_back(record(7, 3.3));
  stopped.records.back().run = "a run that was stopped";
  EXPECT_EQ(best_of(stopped, usual.workload, here)->trial, 1);
  stopped.records.back().time->median_ms = 3;
  EXPECT_EQ(best_of(stopped, usual.workload, here)->trial, 7);
  Conditions elsewhere = here;
  elsewhere.processor = "another";
  EXPECT_EQ(best_of(records, usual.workload, elsewhere), nullptr);
  elsewhere = here;
  elsewhere.threads = 1;
  EXPECT_EQ(best_of(records, usual.workload, elsewhere), nullptr);
  // Another version of the compiler may well make it no longer the fastest, but it stays a
  // schedule.
  elsewhere = here;
  elsewhere.compiler = "other";
  EXPECT_NE(best_of(records, usual.workload, elsewhere), nullptr);
  EXPECT_EQ(best_of(records, "another workload", here), nullptr);
}

TEST(Records, GiveSchedulesForTheirNests) {
  Records records;
  Record of = record(1, 1);
  EXPECT_EQ(schedule_of(records, of).error().code, Code::RecordsUnreadable);
  records.nests[of.workload] = loop::to_text(product().nest);
  of.script = "j_o, j_i = split(j, [4, 8])\n";
  EXPECT_TRUE(schedule_of(records, of));
  of.script = "vectorize(k)\n";
  EXPECT_EQ(schedule_of(records, of).error().code, Code::ScheduleIllegal);
  records.nests[of.workload] = loop::to_text(row_sums().nest);
  EXPECT_THAT(schedule_of(records, of).error().what, HasSubstr("another one"));
}

// Bytes turned at random: records, or a reason, and never anything else.
TEST(Records, BearDamage) {
  const std::string text = workload_line(workload_of(product()), "product", product().nest) +
                           to_line(record(1, 3)) + to_line(record(2, 4));
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = text;
    for (int k = 0; k < 1 + i % 4; ++k)
      damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    const auto read = parse_records(damaged);
    if (!read) continue;
    for (const Record& each : read->records) schedule_of(*read, each);
    parse_records(to_text(*read));
  }
}

}  // namespace
}  // namespace loopglass::tune
