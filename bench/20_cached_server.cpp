// SPDX-License-Identifier: MIT
//
// 20. What does a server cost that answers from a cache under a reader-writer lock, and how late are its answers?
//
// A program, not an operation: a request copies 512 bytes of the cache under the shared lock, and takes 2 µs to answer without
// it. One of twenty finds that its entry is too old, makes a new one in 5 µs, and stores it under the exclusive lock, unless
// another was first. The upgradeable way makes it while it keeps the others from doing so, and lets readers go on.
//
// Saturated: clients that ask again at once. Paced: bursts of ten requests that come at random times, whether or not the
// last ones are answered, which fill about a quarter of two processors; the latency counts from when a request came.
//
// Each client has a thread; on loops, half of the clients have one of two. Asio's cache belongs to a strand, and each step of
// a request is posted, to the strand or to a pool of two threads.

#include <chrono>
#include <cstddef>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include <oneapi/tbb/spin_rw_mutex.h>
#include <asio.hpp>
#include <futon/futon.hpp>
#include <futon/sync/shared_lock.hpp>

#include "harness/cached_server.hpp"
#include "harness/session.hpp"
#include "peers/shared_locks.hpp"

namespace {

using bench::Cache;
using bench::Client;
using bench::Entry;
using bench::Kind;
using bench::Request;
using bench::Traffic;

/// A thread for each client; `answer(cache, client, request)` answers.
template <class F>
void run_threads(Cache& cache, std::vector<Client>& clients, F answer) {
    std::vector<std::jthread> threads;
    for (Client& client : clients)
        threads.emplace_back([&] {
            while (client.has_next()) {
                if (client.is_early()) std::this_thread::sleep_until(client.due());
                answer(cache, client, client.next());
            }
        });
}

/// Functions of their own for each lock, so that the compiler cannot optimize one with its knowledge of another.
template <class Lock>
class Threads {
public:
    void run(Cache& cache, std::vector<Client>& clients) {
        run_threads(cache, clients,
                    [this](Cache& of, Client& client, const Request& request) { answer(of, client, request); });
    }

private:
    [[gnu::noinline]] void answer(Cache& cache, Client& client, const Request& request) {
        Entry entry;
        {
            const std::shared_lock hold(lock_);
            entry = cache.read(request.slot);
        }
        if (request.is_too_old) {
            const Entry made = client.make(request, entry.version());
            const std::scoped_lock hold(lock_);
            client.renewed(cache.renew(request.slot, made, entry.version()));
            entry = cache.read(request.slot);
        }
        client.answer(request, entry);
    }

    alignas(64) Lock lock_;
};

class Upgradeable {
public:
    void run(Cache& cache, std::vector<Client>& clients) {
        run_threads(cache, clients,
                    [this](Cache& of, Client& client, const Request& request) { answer(of, client, request); });
    }

private:
    [[gnu::noinline]] void answer(Cache& cache, Client& client, const Request& request) {
        Entry entry;
        {
            const auto reader = lock_.scoped_lock_shared();
            entry = cache.read(request.slot);
        }
        if (request.is_too_old) {
            auto reader = lock_.scoped_lock_upgradeable();
            if (cache.read(request.slot).version() == entry.version()) {
                const Entry made = client.make(request, entry.version());
                const auto writer = reader.upgrade();
                client.renewed(cache.renew(request.slot, made, entry.version()));
            }
            entry = cache.read(request.slot);
        }
        client.answer(request, entry);
    }

    alignas(64) futon::SharedLock lock_;
};

/// Two loops, each with every other client.
class Loops {
public:
    void run(Cache& cache, std::vector<Client>& clients) {
        std::vector<std::jthread> threads;
        for (std::size_t first : {0u, 1u})
            threads.emplace_back([&, first] {
                futon::EventLoop loop;
                std::vector<futon::Promise<void>> answering;
                for (std::size_t i = first; i < clients.size(); i += 2)
                    answering.push_back(answer_all(cache, clients[i]));
                for (auto& promise : answering) loop.run_until(std::move(promise));
            });
    }

private:
    futon::Promise<void> answer_all(Cache& cache, Client& client) {
        while (client.has_next()) {
            if (client.is_early()) {
                co_await futon::sleep_until(client.due());
            } else {
                co_await futon::sleep_for(std::chrono::nanoseconds(0));  // the other clients have a turn
            }
            const Request request = client.next();
            Entry entry;
            {
                const auto reader = co_await lock_.scoped_lock_shared_async();
                entry = cache.read(request.slot);
            }
            if (request.is_too_old) {
                const Entry made = client.make(request, entry.version());
                const auto writer = co_await lock_.scoped_lock_async();
                client.renewed(cache.renew(request.slot, made, entry.version()));
                entry = cache.read(request.slot);
            }
            client.answer(request, entry);
        }
    }

    alignas(64) futon::SharedLock lock_;
};

/// A client whose steps are functions that Asio calls, of the cache's strand or of any thread of the pool.
class StrandClient {
public:
    using Strand = asio::strand<asio::thread_pool::executor_type>;

    StrandClient(asio::thread_pool& pool, Strand& strand, Cache& cache, Client& client)
        : pool_(pool), strand_(strand), cache_(cache), client_(client), timer_(pool) {}

    void step() {
        if (!client_.has_next()) return;
        if (!client_.is_early()) return ask();
        timer_.expires_at(client_.due());
        timer_.async_wait([this](asio::error_code) { ask(); });
    }

private:
    void ask() {
        request_ = client_.next();
        asio::post(strand_, [this] {
            entry_ = cache_.read(request_.slot);
            asio::post(pool_, [this] { request_.is_too_old ? renew() : answer(); });
        });
    }
    void renew() {
        made_ = client_.make(request_, entry_.version());
        asio::post(strand_, [this] {
            client_.renewed(cache_.renew(request_.slot, made_, entry_.version()));
            entry_ = cache_.read(request_.slot);
            asio::post(pool_, [this] { answer(); });
        });
    }
    void answer() {
        client_.answer(request_, entry_);
        asio::post(pool_, [this] { step(); });  // the other clients have a turn
    }

    asio::thread_pool& pool_;
    Strand& strand_;
    Cache& cache_;
    Client& client_;
    asio::steady_timer timer_;
    Request request_{};
    Entry entry_;
    Entry made_;
};

class Strand {
public:
    void run(Cache& cache, std::vector<Client>& clients) {
        asio::thread_pool pool(2);
        StrandClient::Strand strand(pool.get_executor());
        std::vector<StrandClient> served;
        served.reserve(clients.size());
        for (Client& client : clients) served.emplace_back(pool, strand, cache, client);
        for (StrandClient& client : served) asio::post(pool, [&client] { client.step(); });
        pool.join();
    }
};

}  // namespace

int main(int argc, char** argv) {
    using namespace std::chrono_literals;
    bench::Session session(argc, argv, "20_cached_server");
    const auto add_all = [&](const char* measure, int clients, const Traffic& traffic, std::chrono::milliseconds length,
                             const bench::Point& at) {
        const auto add = [&]<class Server>(const char* who, Kind kind) {
            session.add({measure, who, kind, at}, [=] { return bench::serve<Server>(clients, traffic, length); });
        };
        bench::for_each_shared_lock(
            [&]<class Lock>(const char* who, Kind kind) { add.template operator()<Threads<Lock>>(who, kind); });
        add.operator()<Upgradeable>("futon::SharedLock, upgradeable", Kind::ours);
        add.operator()<Loops>("futon::SharedLock, on two loops", Kind::ours);
        add.operator()<Threads<tbb::spin_rw_mutex>>("tbb::spin_rw_mutex", Kind::peer);
        add.operator()<Strand>("asio strand", Kind::peer);
    };
    for (const int clients : session.pick(std::vector{2, 8}, std::vector{2, 8}, std::vector{2, 4, 8, 16}))
        add_all("a server with a cache, saturated", clients, {}, session.pick(10ms, 100ms, 500ms),
                {{"clients", clients}});
    session.run(session.pick(1u, 3u, 5u));

    // Many rounds: the machine's other users lengthen the latencies of some of them by a multiple.
    add_all("a server with a cache, paced", 8, {400us}, session.pick(10ms, 100ms, 200ms), {});
    session.run(session.pick(1u, 3u, 21u));
    return session.finish();
}
