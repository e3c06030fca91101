#include "core/measure/sampler.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <ucontext.h>
#include <atomic>
#include <csignal>
#include <ctime>

namespace loopglass::measure {

namespace {

// What the handler works on; of the one sampler that there is.
struct Running {
  std::vector<std::uintptr_t> addresses;  // its room, which no handler may ask for
  std::atomic<std::size_t> count = 0;
  timer_t timer{};
  std::uint32_t random = 1;
  long nanoseconds = 0;  // on average
};
std::atomic<Running*> running = nullptr;

// From half to one and a half times as long. Safe to call in a handler.
void wind(Running& sampler) {
  sampler.random = sampler.random * 1664525u + 1013904223u;
  const long part = static_cast<long>(sampler.random >> 16);  // of 65536
  itimerspec next{};
  next.it_value.tv_nsec = sampler.nanoseconds / 2 + sampler.nanoseconds * part / 65536;
  timer_settime(sampler.timer, 0, &next, nullptr);
}

std::uintptr_t address_in(const void* context) {
#if defined(__x86_64__)
  const auto* machine = &static_cast<const ucontext_t*>(context)->uc_mcontext;
  return static_cast<std::uintptr_t>(machine->gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
  static_cast<void>(context);
  return 0;
#endif
}

void sample(int, siginfo_t*, void* context) {
  Running* sampler = running.load();
  if (!sampler) return;
  const std::size_t number = sampler->count.load();
  if (number == sampler->addresses.size()) return;
  sampler->addresses[number] = address_in(context);
  sampler->count.store(number + 1);
  wind(*sampler);
}

}  // namespace

struct Sampler::State : Running {
  bool is_running = false;
};

Sampler::Sampler(int microseconds, std::size_t at_most) : state_(std::make_unique<State>()) {
  state_->addresses.resize(at_most);
  state_->nanoseconds = 1000L * microseconds;
  // It stays: a signal may come when its timer is gone, and would end the process.
  struct sigaction action {};
  action.sa_sigaction = sample;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigaction(SIGPROF, &action, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  state_->is_running = timer_create(CLOCK_MONOTONIC, &event, &state_->timer) == 0;
  if (!state_->is_running) return;
  running = state_.get();
  wind(*state_);
}

Sampler::~Sampler() { take(); }

std::vector<std::uintptr_t> Sampler::take() {
  if (!state_->is_running) return {};
  running = nullptr;
  timer_delete(state_->timer);
  state_->is_running = false;
  state_->addresses.resize(state_->count);
  return std::move(state_->addresses);
}

}  // namespace loopglass::measure
