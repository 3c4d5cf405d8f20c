/// The scripts of the shared tier. Each touches the keys of one name, which are in one slot.
///
/// The rows of a name are a hash: for each entry, by the digest of its variant, its version (16 bytes), the time of its arrival by
/// the engine's clock (16 digits, in ms) and the digest of its original; under "!" the position of the newest removal of the name.
/// An entry counts while its row has its version, so that whatever the engine evicts or loses leaves misses, and nothing that was
/// removed.
enum SharedScripts {
    /// Returns whether one position in the log is after another.
    private static let isAfter = """
        local function isAfter(left, right)
            local time, sequence = string.match(left, '^(%d+)%-(%d+)$')
            local otherTime, otherSequence = string.match(right, '^(%d+)%-(%d+)$')
            time, otherTime = tonumber(time), tonumber(otherTime)
            return time > otherTime or (time == otherTime and tonumber(sequence) > tonumber(otherSequence))
        end

        """

    /// Stores an entry, unless its process has not heard yet of a removal of the name, or the name has as many as it may have;
    /// what the entry replaces goes in any case.
    ///
    /// KEYS: rows, entry. ARGV: field, version, lifetime in ms, position heard of, bytes, most entries, digest.
    static let store =
        isAfter + """
            local time = redis.call('TIME')
            local grave = redis.call('HGET', KEYS[1], '!')
            if grave and isAfter(grave, ARGV[4]) then
                redis.call('HDEL', KEYS[1], ARGV[1])
                redis.call('UNLINK', KEYS[2])
                return 0
            end
            local room = tonumber(ARGV[6]) + (grave and 1 or 0)
            if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 and redis.call('HLEN', KEYS[1]) >= room then
                local base = string.sub(KEYS[2], 1, -1 - #ARGV[1])
                for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
                    if field ~= '!' and redis.call('EXISTS', base .. field) == 0 then
                        redis.call('HDEL', KEYS[1], field)
                    end
                end
                if redis.call('HLEN', KEYS[1]) >= room then return 0 end
            end
            redis.call('SET', KEYS[2], ARGV[5], 'PX', ARGV[3])
            local now = string.format('%016.0f', time[1] * 1000 + math.floor(time[2] / 1000))
            redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. now .. ARGV[7])
            if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
            return 1
            """

    /// Replaces an entry of a version.
    ///
    /// KEYS: rows, entry. ARGV: field, version, lifetime in ms or "", old version, bytes.
    static let update = """
        local row = redis.call('HGET', KEYS[1], ARGV[1])
        if not row or string.sub(row, 1, 16) ~= ARGV[4] or redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
        if ARGV[3] == '' then
            redis.call('SET', KEYS[2], ARGV[5], 'KEEPTTL')
        else
            redis.call('SET', KEYS[2], ARGV[5], 'PX', ARGV[3])
            if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
        end
        redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. string.sub(row, 17))
        return 1
        """

    /// Removes an entry, or one version of it.
    ///
    /// KEYS: rows, entry. ARGV: field, version or "".
    static let remove = """
        local row = redis.call('HGET', KEYS[1], ARGV[1])
        if row and ARGV[2] ~= '' and string.sub(row, 1, 16) ~= ARGV[2] then return 0 end
        redis.call('HDEL', KEYS[1], ARGV[1])
        redis.call('UNLINK', KEYS[2])
        return 1
        """

    /// Finds the fields of the rows that a removal of a name is about: `outdated`; and whether one of them `isKnown` to be:
    /// entries of unknown originals are not if no age is given.
    ///
    /// KEYS: rows. ARGV: position of the removal, its lifetime in ms, beginning of the keys of entries, field of the original,
    /// the age in ms up to which entries of unknown originals are kept or "", the digests that are kept, as in rows.
    private static let outdated = """
        local kept = {}
        for i = 6, #ARGV do kept[ARGV[i]] = true end
        local time = redis.call('TIME')
        local since = ARGV[5] ~= '' and time[1] * 1000 + math.floor(time[2] / 1000) - tonumber(ARGV[5])
        local isKnown, outdated = false, {}
        local rows = redis.call('HGETALL', KEYS[1])
        for i = 1, #rows, 2 do
            local field, arrival, digest = rows[i], tonumber(string.sub(rows[i + 1], 17, 32)), string.sub(rows[i + 1], 33)
            if field ~= '!' then
                local isUnknown = string.byte(digest) == 0 and field ~= ARGV[4]
                local stays = kept[digest]
                if isUnknown then stays = since and arrival >= since end
                if not stays then
                    outdated[#outdated + 1] = field
                    isKnown = isKnown or not isUnknown or since ~= false
                end
            end
        end

        """

    /// Returns 1 if entries of a name are known to be of other originals than some, or older than those. Arguments as of
    /// ``removeName``, of which the first three do not count.
    static let hasOutdated = outdated + "return isKnown and 1 or 0"

    /// Removes the entries of a name, except those of some originals, unless that was done. One that comes after a later one
    /// does nothing if it excepts some, and otherwise removes all of them: the time of arrival does not tell whether the process
    /// that has stored an entry had heard of the removal.
    ///
    /// KEYS, ARGV: as of ``outdated``.
    static let removeName =
        isAfter + """
            local grave = redis.call('HGET', KEYS[1], '!')
            local isLate = grave and not isAfter(ARGV[1], grave)
            if grave == ARGV[1] or isLate and #ARGV >= 6 then return 0 end

            """ + outdated + """
            for _, field in ipairs(outdated) do
                redis.call('HDEL', KEYS[1], field)
                redis.call('UNLINK', ARGV[3] .. field)
            end
            -- A full engine may refuse it: a late store is then removed by its own machine, when that hears of the removal.
            if not isLate then redis.pcall('HSET', KEYS[1], '!', ARGV[1]) end
            if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
            return 1
            """

    /// Notes that an entry was made, and returns 1 if it, or one in its place, was made or stored before.
    ///
    /// KEYS: rows, mark. ARGV: field, lifetime of the mark in ms.
    static let want = """
        if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 1 end
        if redis.call('SET', KEYS[2], '1', 'NX', 'PX', ARGV[2]) then return 0 end
        return 1
        """
}
