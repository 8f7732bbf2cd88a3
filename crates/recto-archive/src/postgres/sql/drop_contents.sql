-- Lets go of bytes that nobody holds any more, and gives how much that frees.
WITH dropped AS (
    DELETE FROM recto.contents AS content
    WHERE content.sha256 = ANY ($1)
        AND NOT EXISTS (SELECT FROM recto.holdings WHERE sha256 = content.sha256 AND gone IS NULL)
    RETURNING stored_bytes
)
SELECT coalesce(sum(stored_bytes), 0)::bigint FROM dropped
