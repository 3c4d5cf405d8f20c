/// The scripts of a queue, whose keys are in one slot.
///
/// The keys of each are those of urgent jobs, other jobs, the counts, and jobs that were given up.
enum PrefetchScripts {
    /// Adds jobs that are neither there nor were done a while ago, as long as there is room.
    ///
    /// ARGV: most jobs, beginning of the keys of marks, lifetime of marks in ms, channel; for each job its name, "1" if it is
    /// urgent, and its bytes. Returns the number added, and that of those looked at.
    static let add = """
        local room = tonumber(ARGV[1]) - redis.call('XLEN', KEYS[1]) - redis.call('XLEN', KEYS[2])
        local added, seen = 0, 0
        for i = 5, #ARGV, 3 do
            if room <= 0 then break end
            seen = seen + 1
            if redis.call('SET', ARGV[2] .. ARGV[i], 'queued', 'NX', 'PX', ARGV[3]) then
                redis.call('XADD', ARGV[i + 1] == '1' and KEYS[1] or KEYS[2], '*', 'id', ARGV[i], 'job', ARGV[i + 2])
                added, room = added + 1, room - 1
            end
        end
        if added > 0 then
            redis.call('HINCRBY', KEYS[3], 'added', added)
            redis.call('PUBLISH', ARGV[4], 'added')
        end
        return {added, seen}
        """

    /// Takes new jobs, urgent ones first. Each has stream, entry, name and bytes.
    ///
    /// ARGV: group, worker, most jobs.
    static let take = """
        local jobs = {}
        for stream = 1, 2 do
            local room = tonumber(ARGV[3]) - #jobs
            if room > 0 then
                local found = redis.call('XREADGROUP', 'GROUP', ARGV[1], ARGV[2], 'COUNT', room, 'STREAMS', KEYS[stream], '>')
                if found then
                    for _, entry in ipairs(found[1][2]) do
                        jobs[#jobs + 1] = {stream, entry[1], entry[2][2], entry[2][4], 1}
                    end
                end
            end
        end
        return jobs
        """

    /// Notes jobs as done, each once, whoever else has done it too.
    ///
    /// ARGV: group, beginning of the keys of marks, lifetime of marks in ms, channel; for each job stream, entry, name, and "1"
    /// if its result is local. Returns the number of those that were not done.
    static let finish = """
        local count = 0
        for i = 5, #ARGV, 4 do
            local key = KEYS[tonumber(ARGV[i])]
            if redis.call('XACK', key, ARGV[1], ARGV[i + 1]) == 1 then
                redis.call('XDEL', key, ARGV[i + 1])
                redis.call('SET', ARGV[2] .. ARGV[i + 2], 'done', 'PX', ARGV[3])
                redis.call('HINCRBY', KEYS[3], 'done', 1)
                if ARGV[i + 3] == '1' then redis.call('HINCRBY', KEYS[3], 'local', 1) end
                count = count + 1
            end
        end
        if redis.call('XLEN', KEYS[1]) + redis.call('XLEN', KEYS[2]) == 0 then
            redis.call('PUBLISH', ARGV[4], 'empty')
        end
        return count
        """

    /// Gives a job up. What makes room comes first, as a full engine refuses to begin with anything else.
    private static let bury = """
        local function bury(key, group, entry, name, job, reason, attempts, marks)
            redis.call('XACK', key, group, entry)
            redis.call('XDEL', key, entry)
            redis.call('DEL', marks .. name)
            redis.call('XADD', KEYS[4], 'MAXLEN', '~', '10000', '*', 'job', job, 'reason', reason, 'attempts', attempts)
            redis.call('HINCRBY', KEYS[3], 'failed', 1)
        end

        """

    /// Notes that an attempt of a worker failed: the job is given up, or left for a later attempt. Nothing changes where
    /// another worker has the job by now.
    ///
    /// ARGV: group, beginning of the keys of marks, stream, entry, name, reason, "1" if it is of no use to try again, most
    /// attempts, worker. Returns 1 if it was given up.
    static let fail =
        bury + """
            local key = KEYS[tonumber(ARGV[3])]
            local pending = redis.call('XPENDING', key, ARGV[1], ARGV[4], ARGV[4], 1, ARGV[9])
            local entry = redis.call('XRANGE', key, ARGV[4], ARGV[4])
            if #pending == 0 or #entry == 0 then return 0 end
            local attempts = pending[1][4]
            if ARGV[7] ~= '1' and attempts < tonumber(ARGV[8]) then return 0 end
            bury(key, ARGV[1], ARGV[4], ARGV[5], entry[1][2][4], ARGV[6], attempts, ARGV[2])
            return 1
            """

    /// Says that a worker is at its jobs, and takes those whose workers have not been heard of, or whose attempt has failed.
    /// Jobs that were tried often enough are given up.
    ///
    /// It is one script, so that no pause between two calls lets a worker give up what it has. A job of this worker that another
    /// has claimed meanwhile stays with the other.
    ///
    /// ARGV: group, worker, idle time in ms, most jobs, most attempts, beginning of the keys of marks; for each job of this
    /// worker stream and entry.
    static let claim =
        bury + """
            for i = 7, #ARGV, 2 do
                local key = KEYS[tonumber(ARGV[i])]
                local pending = redis.call('XPENDING', key, ARGV[1], ARGV[i + 1], ARGV[i + 1], 1, ARGV[2])
                if #pending == 1 then redis.call('XCLAIM', key, ARGV[1], ARGV[2], 0, ARGV[i + 1], 'JUSTID') end
            end
            local jobs = {}
            for stream = 1, 2 do
                local key, room = KEYS[stream], tonumber(ARGV[4]) - #jobs
                local pending = room > 0
                    and redis.call('XPENDING', key, ARGV[1], 'IDLE', ARGV[3], '-', '+', room) or {}
                for _, item in ipairs(pending) do
                    local entry = redis.call('XRANGE', key, item[1], item[1])
                    if #entry == 0 then
                        redis.call('XACK', key, ARGV[1], item[1])
                    elseif item[4] >= tonumber(ARGV[5]) then
                        local fields = entry[1][2]
                        bury(key, ARGV[1], item[1], fields[2], fields[4], 'no answer from its worker', item[4], ARGV[6])
                    else
                        redis.call('XCLAIM', key, ARGV[1], ARGV[2], ARGV[3], item[1])
                        jobs[#jobs + 1] = {stream, item[1], entry[1][2][2], entry[1][2][4], item[4] + 1}
                    end
                end
            end
            return jobs
            """

    /// Returns the counts. ARGV: group, the time in ms within which a worker counts.
    static let progress = """
        local waiting, running, workers = 0, 0, {}
        for stream = 1, 2 do
            local key = KEYS[stream]
            if redis.call('EXISTS', key) == 1 then
                local pending = redis.call('XPENDING', key, ARGV[1])[1]
                running = running + pending
                waiting = waiting + redis.call('XLEN', key) - pending
                for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', key, ARGV[1])) do
                    if consumer[4] > 0 or consumer[6] < tonumber(ARGV[2]) then workers[consumer[2]] = true end
                end
            end
        end
        local count = 0
        for _ in pairs(workers) do count = count + 1 end
        local counts = redis.call('HMGET', KEYS[3], 'added', 'done', 'local', 'failed')
        for i = 1, 4 do counts[i] = tonumber(counts[i] or '0') end
        return {waiting, running, count, counts[1], counts[2], counts[3], counts[4]}
        """
}
