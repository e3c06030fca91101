// Workers: what they answer is what this process would compute, and whatever befalls one costs one
// answer.
#include "core/machine/host.h"
#include "core/measure/kernel_job.h"
#include "core/measure/serve.h"
#include "core/measure/worker_pool.h"

#include "core/loop/text.h"
#include "core/runtime/executor.h"
#include "passes/pipeline.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

namespace loopglass::measure {
namespace {

using namespace std::chrono_literals;

Program program() { return {LOOPGLASSC, {"worker"}}; }

constexpr std::string_view product = R"(
  func product(A: float32[64, 48] input, B: float32[48, 80] constant, C: float32[64, 80] output) {
    for i in 64 { for j in 80 { for k in 48 {
      block C(v0 = i, v1 = j, reduce v2 = k) by sum {
        init { C[v0, v1] = 0.0f }
        C[v0, v1] = C[v0, v1] + A[v0, v2] * B[v2, v1] } } } } })";
// 2^61 rounds that cannot be left out.
constexpr std::string_view endless = R"(
  func endless(X: float32[1] input, Y: float32[1] output) {
    for i in 2305843009213693952 { Y[0] = Y[0] * 0.5f + X[0] } })";
// A signal at the first store.
constexpr std::string_view wild = R"(
  func wild(X: float32[1] input, Y: float32[1] output) {
    for i in 4 { Y[i * 1000000000 + 1000000000] = X[0] } })";

Request request_for(std::string_view nest) {
  Request request;
  request.nest = nest;
  request.machine = host_machine();
  request.budget_milliseconds = 2;
  return request;
}

// As a caller compiles it who hands over object code.
Request request_for_code(std::string_view nest) {
  Request request = request_for(nest);
  const auto kernel =
      kernel::by_default(loop::parse(nest).value(), {host_machine(), passes::loop_passes()});
  request.code = codegen::generate(kernel->lowered(), kernel->compile_options()).value();
  request.nest = signature(kernel->lowered());
  return request;
}

Answer in_process(const Request& request) { return KernelJob(passes::loop_passes())(request); }

FailureKind failure(const Answer& answer) {
  EXPECT_FALSE(answer);
  return answer ? FailureKind::Refused : answer.error().kind;
}

void expect_good(const Answer& answer) {
  ASSERT_TRUE(answer) << to_string(answer.error().diagnostic);
  EXPECT_GT(answer->time.median_ms, 0);
  EXPECT_GE(answer->time.rounds, 5);
}

// There, and not only as a note of its end that nobody has read.
bool runs(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  std::getline(file, text);
  const std::size_t name = text.rfind(") ");
  return name != std::string::npos && text[name + 2] != 'Z';
}
bool ends_soon(pid_t process) {
  for (int i = 0; i < 500 && runs(process); ++i) std::this_thread::sleep_for(10ms);
  return !runs(process);
}

TEST(Worker, ComputesWhatThisProcessComputes) {
  WorkerPool pool(program());
  for (Request request : {request_for(product), request_for_code(product)}) {
    request.want_outputs = true;
    const Answer here = in_process(request), there = pool.ask(request);
    expect_good(here);
    expect_good(there);
    EXPECT_EQ(here->digest, there->digest);
    ASSERT_EQ(there->outputs.size(), 1u);
    EXPECT_TRUE(here->outputs[0].same_content(there->outputs[0]));
    EXPECT_EQ(digest_of(there->outputs), there->digest);
  }
  EXPECT_EQ(pool.started(), 1);
}

TEST(Worker, TakesInputsAndNoticesWrongResults) {
  WorkerPool pool(program());
  Request request = request_for(product);
  request.want_outputs = true;
  const Answer random = pool.ask(request);
  expect_good(random);
  EXPECT_EQ(random->outputs[0].shape(), (Shape{64, 80})) << "as the nest has it";
  request.inputs = {runtime::random_tensor({DataType::Float32, {64, 48}}, 1),
                    runtime::random_tensor({DataType::Float32, {48, 80}}, 2)};
  request.expected = Expected{random->outputs};
  request.want_outputs = false;
  expect_good(pool.ask(request));  // the numbers of the seed
  request.inputs[0] = runtime::random_tensor({DataType::Float32, {64, 48}}, 3);
  EXPECT_EQ(failure(pool.ask(request)), FailureKind::Wrong);
  request.inputs.pop_back();
  EXPECT_EQ(failure(pool.ask(request)), FailureKind::Refused);
  EXPECT_EQ(pool.started(), 1) << "a refusal costs no worker";
}

TEST(Worker, FollowsTheScript) {
  WorkerPool pool(program());
  Request request = request_for(product);
  request.script = "c = block(\"C\")\ni, j, k = loops(c)\nreorder([k, i, j])\nvectorize(j)\n";
  const Answer there = pool.ask(request);
  expect_good(there);
  EXPECT_EQ(there->digest, in_process(request)->digest);
  request.script = "c = block(\"missing\")\n";
  EXPECT_EQ(failure(pool.ask(request)), FailureKind::Illegal);
  request.script = "no script";
  EXPECT_EQ(failure(pool.ask(request)), FailureKind::Illegal);
  EXPECT_EQ(failure(pool.ask(request_for("no nest"))), FailureKind::Illegal);
  request = request_for_code(product);
  request.code->bytes = "no code";
  EXPECT_EQ(failure(pool.ask(request)), FailureKind::NotCompiled);
}

TEST(Worker, ACrashCostsOneAnswer) {
  // A sanitizer would catch the signal and end the worker in its own way.
  ::setenv("ASAN_OPTIONS", "handle_segv=0", 1);
  WorkerPool pool(program());
  const Answer crashed = pool.ask(request_for_code(wild));
  EXPECT_EQ(failure(crashed), FailureKind::Crashed);
  EXPECT_EQ(crashed.error().signal, SIGSEGV);
  expect_good(pool.ask(request_for(product)));
  EXPECT_EQ(pool.started(), 2);
}

TEST(Worker, AnEndlessLoopCostsItsTime) {
  WorkerPool pool(program());
  Request request = request_for_code(endless);
  request.time_limit = 300ms;
  const Answer late = pool.ask(request);
  EXPECT_EQ(failure(late), FailureKind::TimedOut);
  EXPECT_EQ(late.error().diagnostic.what, "the measuring worker: took longer than 0.3 s");
  expect_good(pool.ask(request_for(product)));

  request.time_limit = 60s;
  const Cancellation cancellation;
  std::jthread canceller([&] {
    std::this_thread::sleep_for(200ms);
    cancellation.request();
  });
  EXPECT_EQ(failure(pool.ask(request, cancellation)), FailureKind::Cancelled);
}

TEST(Worker, OneThatIsKilledWhileItWaitsCostsNothing) {
  WorkerPool pool(program());
  for (int i = 0; i < 5; ++i) {
    expect_good(pool.ask(request_for(product)));
    ASSERT_EQ(pool.waiting().size(), 1u);
    const pid_t process = pool.waiting()[0];
    ::kill(process, SIGKILL);
    ASSERT_TRUE(ends_soon(process));
  }
  EXPECT_EQ(pool.started(), 5);
}

// At any moment, many times: every question is answered, and what is answered is right.
TEST(Worker, KillsAtRandomLoseAnswersAndNothingElse) {
  WorkerPool pool(program());
  const Request request = request_for_code(product);
  const Answer right = in_process(request);
  ASSERT_TRUE(right);
  std::atomic<bool> over = false;
  std::jthread killer([&] {
    for (std::mt19937 random(7); !over;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 150));
      // The children of this thread's process, which are workers.
      std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", ::getpid()));
      for (pid_t child; children >> child;) ::kill(child, SIGKILL);
    }
  });
  int answered = 0, lost = 0;
  for (int i = 0; i < 60; ++i) {
    const Answer answer = pool.ask(request);
    if (answer) {
      EXPECT_EQ(answer->digest, right->digest);
      ++answered;
    } else {
      // One that is killed before it says hello was never started.
      EXPECT_TRUE(answer.error().kind == FailureKind::Lost ||
                  answer.error().kind == FailureKind::Refused)
          << to_string(answer.error().diagnostic);
      ++lost;
    }
  }
  over = true;
  killer.join();
  // The last kill may come to take effect only now, and cost this answer; no kill costs two.
  static_cast<void>(pool.ask(request));
  expect_good(pool.ask(request));
  fmt::print("{} answered, {} lost, {} workers\n", answered, lost, pool.started());
  EXPECT_GT(pool.started(), 1);
}

TEST(Worker, OneMeasurementAtATimeUnlessAsked) {
  const auto most_at_once = [](int at_once) {
    WorkerPool pool(program(), at_once);
    std::vector<std::jthread> callers;
    for (int i = 0; i < 4; ++i)
      callers.emplace_back([&] { expect_good(pool.ask(request_for(product))); });
    callers.clear();
    return pool.started();
  };
  EXPECT_EQ(most_at_once(1), 1);
  EXPECT_LE(most_at_once(2), 2);
}

// A process that asks, told what to do by a pipe; its worker is in the middle of an endless loop.
class Parent {
 public:
  explicit Parent(bool with_sibling) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    process_ = ::fork();
    if (process_ == 0) {
      auto worker = WorkerProcess::start(program());
      // One that was forked has all descriptors, the worker's other end among them.
      const pid_t sibling = with_sibling ? ::fork() : -1;
      if (sibling == 0) {
        ::sleep(30);
        ::_exit(0);
      }
      const pid_t both[2]{worker ? worker->id() : -1, sibling};
      if (::write(ends[1], both, sizeof(both)) != sizeof(both)) ::_exit(1);
      Frame frame = to_frame(request_for_code(endless));
      if (worker) static_cast<void>(worker->ask(frame, 60s));
      ::_exit(0);
    }
    pid_t both[2]{-1, -1};
    EXPECT_EQ(::read(ends[0], both, sizeof(both)), static_cast<ssize_t>(sizeof(both)));
    worker_ = both[0];
    sibling_ = both[1];
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Parent() {
    if (sibling_ > 0) ::kill(sibling_, SIGKILL);
  }
  void kill() const {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  pid_t worker() const { return worker_; }

 private:
  pid_t process_ = -1, worker_ = -1, sibling_ = -1;
};

TEST(Worker, AParentThatIsKilledLeavesNone) {
  for (const bool with_sibling : {false, true}) {
    const Parent parent(with_sibling);
    ASSERT_GT(parent.worker(), 0);
    std::this_thread::sleep_for(500ms);
    EXPECT_TRUE(runs(parent.worker()));
    parent.kill();
    EXPECT_TRUE(ends_soon(parent.worker())) << with_sibling;
  }
}

TEST(Worker, APoolThatGoesAwayLeavesNone) {
  pid_t process = -1;
  {
    WorkerPool pool(program());
    expect_good(pool.ask(request_for(product)));
    process = pool.waiting().at(0);
    EXPECT_TRUE(runs(process));
  }
  EXPECT_EQ(::kill(process, 0), -1) << "neither it nor a note of its end";
}

TEST(Worker, WhatIsNoWorkerIsSaid) {
  for (const char* path : {"/nowhere", "/bin/true", "/bin/cat"}) {
    WorkerPool pool({path});
    // cat says nothing before it is told something.
    const Cancellation cancellation;
    std::jthread canceller([&] {
      std::this_thread::sleep_for(500ms);
      if (path == std::string_view("/bin/cat")) cancellation.request();
    });
    const Answer answer = pool.ask(request_for(product), cancellation);
    EXPECT_EQ(failure(answer),
              path == std::string_view("/bin/cat") ? FailureKind::Cancelled : FailureKind::Refused);
  }
}

// What an older or newer program would say: nobody guesses what it means.
class OtherVersion : public ::testing::Test {
 protected:
  OtherVersion() : folder_(::testing::TempDir() + fmt::format("/other_version_{}", ::getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~OtherVersion() override { std::filesystem::remove_all(folder_); }

  // A file with a frame as a program of this version writes it.
  std::string said(const Frame& frame, std::uint32_t version) {
    const std::string path = folder_ + fmt::format("/{}_{}", frame.job, version);
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    EXPECT_TRUE(write_frame(file, frame));
    EXPECT_EQ(::pwrite(file, &version, sizeof(version), 4), 4);
    ::close(file);
    return path;
  }
  // One that says these in turn, each but the first once it has been asked something.
  Program saying(const std::string& first, const std::string& second) {
    return {
        "/bin/sh",
        {"-c", fmt::format("cat {}; head -c 40 >/dev/null; cat {}; exec sleep 60", first, second)}};
  }

 private:
  const std::string folder_;
};

TEST_F(OtherVersion, IsNoWorker) {
  const Frame hello{0, std::string(hello_job), {}, {}};
  WorkerPool pool(saying(said(hello, frame_version + 1), "/dev/null"));
  const Answer answer = pool.ask(request_for(product));
  EXPECT_EQ(failure(answer), FailureKind::Refused);
  EXPECT_EQ(answer.error().diagnostic.code, Code::SystemRefused);
  EXPECT_NE(answer.error().diagnostic.what.find(fmt::format(
                "the other end speaks version {}, this one {}", frame_version + 1, frame_version)),
            std::string::npos)
      << answer.error().diagnostic.what;
  EXPECT_TRUE(pool.waiting().empty());
}

TEST_F(OtherVersion, OfAnAnswerIsNoAnswer) {
  const Frame hello{0, std::string(hello_job), {}, {}};
  const Frame done{1, std::string(kernel_job_name), "{}", {}};
  WorkerPool pool(saying(said(hello, frame_version), said(done, frame_version + 1)));
  const Answer answer = pool.ask(request_for(product));
  EXPECT_EQ(failure(answer), FailureKind::Lost);
  EXPECT_EQ(answer.error().diagnostic.code, Code::WorkerLost);
  EXPECT_NE(answer.error().diagnostic.what.find("speaks version"), std::string::npos)
      << answer.error().diagnostic.what;
  EXPECT_TRUE(pool.waiting().empty()) << "it is not asked again";
}

// The worker of one program, asked by another: it ends, and says why on stderr.
TEST_F(OtherVersion, OfAQuestionEndsTheWorker) {
  const std::string question = said({1, std::string(kernel_job_name), "{}", {}}, frame_version + 1);
  const std::string error = question + ".error";
  const int status = std::system(
      fmt::format("{} worker <{} 2>{} | cat >/dev/null", LOOPGLASSC, question, error).c_str());
  EXPECT_TRUE(WIFEXITED(status));
  std::ifstream file(error);
  std::string line;
  std::getline(file, line);
  EXPECT_NE(line.find("speaks version"), std::string::npos) << line;
}

TEST(Worker, WhatItIsNotToldRightIsRefused) {
  WorkerPool pool(program());
  const auto answer = [&](Frame frame) { return pool.ask(std::move(frame), 10s); };
  for (const auto& text : {"", "[]", "{", R"({"nest": 7})"}) {
    const auto refused = answer({0, "kernel", text, {}});
    ASSERT_TRUE(refused);
    EXPECT_EQ(failure(answer_from(*refused).value()), FailureKind::Refused) << text;
  }
  Frame more = to_frame(request_for(product)), fewer = to_frame(request_for_code(product));
  more.bytes += "x";
  fewer.bytes.pop_back();
  for (const Frame& frame : {more, fewer})
    EXPECT_EQ(failure(answer_from(*answer(frame)).value()), FailureKind::Refused);
  EXPECT_EQ(pool.started(), 1);
  EXPECT_EQ(answer({0, "no job", {}, {}}).error().what, "there is no job 'no job'");
}

// What an answer costs beside the kernel's runs, and whether the kernel is as fast: printed, since
// machines are noisy.
TEST(Worker, CostsMilliseconds) {
  WorkerPool pool(program());
  Request code = request_for_code(product), text = request_for(product);
  for (const auto& [name, request] : {std::pair("object code", code), std::pair("text", text)}) {
    expect_good(pool.ask(request));
    const Answer here = in_process(request);
    std::vector<double> overhead, speed;
    for (int i = 0; i < 30; ++i) {
      const auto start = std::chrono::steady_clock::now();
      const Answer answer = pool.ask(request);
      const std::chrono::duration<double, std::milli> all =
          std::chrono::steady_clock::now() - start;
      ASSERT_TRUE(answer);
      overhead.push_back(all.count() - answer->spent.running);
      speed.push_back(answer->time.median_ms);
    }
    fmt::print("{}: {:.2f} ms beside the runs; kernel {:.4f} ms in the worker, {:.4f} ms here\n",
               name, runtime::summarise(overhead).median_ms, runtime::summarise(speed).median_ms,
               here->time.median_ms);
  }
}

}  // namespace
}  // namespace loopglass::measure
