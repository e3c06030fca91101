// The server of a farm: NATS with JetStream, which keeps jobs until a worker has done them and
// results until whoever asked has them, over deaths of each of the three.
//
//   lg.job.CAPABILITY.ID      a stream that is a queue: a job is there until it is acknowledged. A
//                             worker that holds one says so every second or two; from one that
//                             does not, because it is dead or stopped, it goes to another.
//   lg.result.CAPABILITY.ID   a stream of results, kept for an hour. The server drops what comes
//                             under a name that it has: whoever finishes a job second is not heard.
//   LG_DELIVERIES             a bucket of how often each job was given to somebody, kept for an
//   hour. LG_WORKERS                a bucket of notices that fade after some seconds.
//
// Every function may say FarmUnreachable, where the server is gone for now and the same may be
// asked again, and FarmRefused, where it will not do it; `hint` says why.
#pragma once

#include "core/farm/address.h"
#include "core/farm/message.h"

#include <chrono>
#include <memory>
#include <optional>

namespace loopglass::farm {

class Queue {
 public:
  // `name`: by which the server knows us. `held_for`: a job that its worker does not hold for so
  // long goes to another; what the last worker to come says is so for all of its kind.
  static Result<std::unique_ptr<Queue>> open(
      const Address& address, const std::string& name,
      std::chrono::milliseconds held_for = std::chrono::seconds(6));
  ~Queue();

  // False: the server remembers this attempt at this job, and has dropped it.
  Result<bool> submit(const std::string& capability, const Job& job);
  Result<bool> is_waiting(const std::string& capability, const std::string& id);
  Result<std::optional<JobResult>> result_of(const std::string& capability, const std::string& id);
  // Nobody need do it any more.
  Result<void> withdraw(const std::string& capability, const std::string& id);
  // From here on next_result() has what comes; some may be missed while the server is away.
  Result<void> listen(const std::string& capability);
  // Nothing: none came in this time.
  Result<std::optional<JobResult>> next_result(std::chrono::milliseconds patience);

  // A job that was taken and is ours until it is finished, as long as it is held.
  class Taken {
   public:
    virtual ~Taken() = default;
    virtual const std::string& id() const = 0;
    virtual std::string_view text() const = 0;  // of a Job, if it is one
    virtual int deliveries() const = 0;         // how often it has been given to somebody: from 1
    virtual void hold() = 0;                    // we are still at it; thread-safe
    // Gives the result, and drops the job.
    virtual Result<void> finish(const JobResult& result) = 0;
    // Drops the job: somebody else has finished it, or nobody can.
    virtual Result<void> drop() = 0;
  };
  // Null: nothing came in this time.
  Result<std::unique_ptr<Taken>> take(const std::string& capability,
                                      std::chrono::milliseconds patience);
  std::chrono::milliseconds held_for() const;

  Result<void> announce(const WorkerNotice& notice);
  Result<void> leave(const std::string& worker);
  Result<std::vector<WorkerNotice>> workers();
  // Notices are as old as this at the most.
  static constexpr std::chrono::milliseconds notices_for{8'000};

  struct Load {
    std::uint64_t jobs = 0, results = 0;
    std::uint64_t bytes = 0;  // of both
  };
  Result<Load> load();

 private:
  struct Connection;
  class TakenMessage;
  explicit Queue(std::unique_ptr<Connection> connection);
  Result<void> make_streams();

  std::unique_ptr<Connection> connection_;
};

}  // namespace loopglass::farm
