// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

interface IRouter {
    function addLiquidityETH(address token, uint256 desired, uint256 min, uint256 minEther, address to, uint256 deadline)
        external
        payable
        returns (uint256, uint256, uint256);
}

/// Hands out a part of the caller's tokens and opens a pool with another, in one transaction.
contract Launcher {
    IRouter private immutable _router;

    constructor(IRouter router) {
        _router = router;
    }

    function launch(IERC20 token, address[] calldata holders, uint256 each, uint256 amount, address to)
        external
        payable
    {
        for (uint256 i; i < holders.length; i++) token.transferFrom(msg.sender, holders[i], each);
        token.transferFrom(msg.sender, address(this), amount);
        uint256 arrived = token.balanceOf(address(this));
        token.approve(address(_router), arrived);
        _router.addLiquidityETH{value: msg.value}(address(token), arrived, 0, 0, to, type(uint256).max);
    }
}

/// What UNCX's V2 liquidity lockers answer, in the shape of the contract at 0x663A5C229c09b049E36dCc11a9B0d4a8Eb9db214
/// (verified there as UniswapV2Locker; functions, the order of the record and the event as in its published ABI). Fees,
/// relocking and splitting are left out.
contract UncxLocker {
    struct TokenLock {
        uint256 lockDate;
        uint256 amount;
        uint256 initialAmount;
        uint256 unlockDate;
        uint256 lockID;
        address owner;
    }

    mapping(address lpToken => TokenLock[]) public tokenLocks;

    event onDeposit(address lpToken, address user, uint256 amount, uint256 lockDate, uint256 unlockDate);

    function lockLPToken(address lpToken, uint256 amount, uint256 unlockDate, address payable, bool, address withdrawer)
        external
        payable
    {
        IERC20(lpToken).transferFrom(msg.sender, address(this), amount);
        TokenLock[] storage locks = tokenLocks[lpToken];
        locks.push(TokenLock(block.timestamp, amount, amount, unlockDate, locks.length, withdrawer));
        emit onDeposit(lpToken, msg.sender, amount, block.timestamp, unlockDate);
    }

    function getNumLocksForToken(address lpToken) external view returns (uint256) {
        return tokenLocks[lpToken].length;
    }

    function withdraw(address lpToken, uint256, uint256 lockID, uint256 amount) external {
        TokenLock storage lock = tokenLocks[lpToken][lockID];
        require(lock.owner == msg.sender && lock.unlockDate < block.timestamp, "NOT YET");
        lock.amount -= amount;
        IERC20(lpToken).transfer(msg.sender, amount);
    }
}

interface IPairOf {
    function factory() external view returns (address);
}

/// What PinkSale's PinkLock02 answers, in the shape of the contract at 0x71B5759d73262FBb223956913ecF4ecC51057641
/// (verified there): ids from 1,000,000 on, `end` inclusive and cut to the last, and an underflow where a token has no
/// lock. Vesting and editing are left out.
contract PinkLocker {
    struct Lock {
        uint256 id;
        address token;
        address owner;
        uint256 amount;
        uint256 lockDate;
        uint256 tgeDate;
        uint256 tgeBps;
        uint256 cycle;
        uint256 cycleBps;
        uint256 unlockedAmount;
        string description;
    }

    struct CumulativeLockInfo {
        address token;
        address factory;
        uint256 amount;
    }

    uint256 private constant ID_PADDING = 1_000_000;
    Lock[] private _locks;
    mapping(address token => CumulativeLockInfo) public cumulativeLockInfo;
    mapping(address token => uint256[]) private _locksOf;

    event LockAdded(uint256 indexed id, address token, address owner, uint256 amount, uint256 unlockDate);

    function lock(
        address owner,
        address token,
        bool isLpToken,
        uint256 amount,
        uint256 unlockDate,
        string calldata description
    ) external returns (uint256 id) {
        require(unlockDate > block.timestamp, "Unlock date should be in the future");
        id = _locks.length + ID_PADDING;
        _locksOf[token].push(_locks.length);
        _locks.push(Lock(id, token, owner, amount, block.timestamp, unlockDate, 0, 0, 0, 0, description));
        CumulativeLockInfo storage info = cumulativeLockInfo[token];
        info.token = token;
        info.factory = isLpToken ? IPairOf(token).factory() : address(0);
        info.amount += amount;
        IERC20(token).transferFrom(msg.sender, address(this), amount);
        emit LockAdded(id, token, owner, amount, unlockDate);
    }

    function unlock(uint256 id) external {
        Lock storage one = _locks[id - ID_PADDING];
        require(one.owner == msg.sender && one.unlockedAmount == 0 && block.timestamp >= one.tgeDate);
        one.unlockedAmount = one.amount;
        cumulativeLockInfo[one.token].amount -= one.amount;
        IERC20(one.token).transfer(msg.sender, one.amount);
    }

    function totalLockCountForToken(address token) external view returns (uint256) {
        return _locksOf[token].length;
    }

    function getLockById(uint256 id) external view returns (Lock memory) {
        return _locks[id - ID_PADDING];
    }

    function getLocksForToken(address token, uint256 start, uint256 end) external view returns (Lock[] memory locks) {
        uint256[] storage ids = _locksOf[token];
        if (end >= ids.length) end = ids.length - 1;
        locks = new Lock[](end - start + 1);
        for (uint256 i = start; i <= end; i++) locks[i - start] = _locks[ids[i]];
    }
}

/// What Team Finance's lock answers, in the shape of LockToken behind 0xE2fE530C047f2d85298b07D9333C05737f1435fB: a lock
/// is found by the event `Deposit`, which indexes the token, and read by `getDepositDetails` or `lockedToken`. The
/// getter `getDepositsByTokenAddress` is of an older contract elsewhere; the one that stands there has none.
contract TeamFinanceLocker {
    struct Items {
        address tokenAddress;
        address withdrawalAddress;
        uint256 tokenAmount;
        uint256 unlockTime;
        bool withdrawn;
    }

    uint256 public depositId;
    uint256[] private _allDepositIds;
    mapping(address withdrawer => uint256[]) private _depositsByWithdrawalAddress;
    mapping(uint256 id => Items) public lockedToken;

    event Deposit(
        uint256 id,
        address indexed tokenAddress,
        address indexed withdrawalAddress,
        uint256 amount,
        uint256 unlockTime
    );
    event LogTokenWithdrawal(
        uint256 id, address indexed tokenAddress, address indexed withdrawalAddress, uint256 amount
    );

    function lockToken(address token, address withdrawer, uint256 amount, uint256 unlockTime, bool, address)
        external
        payable
        returns (uint256 id)
    {
        require(amount > 0 && unlockTime < 10_000_000_000 && unlockTime > block.timestamp);
        id = ++depositId;
        lockedToken[id] = Items(token, withdrawer, amount, unlockTime, false);
        _allDepositIds.push(id);
        _depositsByWithdrawalAddress[withdrawer].push(id);
        IERC20(token).transferFrom(msg.sender, address(this), amount);
        emit Deposit(id, token, withdrawer, amount, unlockTime);
    }

    function withdrawTokens(uint256 id, uint256) external {
        Items storage item = lockedToken[id];
        require(block.timestamp >= item.unlockTime && msg.sender == item.withdrawalAddress && !item.withdrawn);
        item.withdrawn = true;
        IERC20(item.tokenAddress).transfer(msg.sender, item.tokenAmount);
        emit LogTokenWithdrawal(id, item.tokenAddress, msg.sender, item.tokenAmount);
    }

    function getAllDepositIds() external view returns (uint256[] memory) {
        return _allDepositIds;
    }

    function getDepositsByWithdrawalAddress(address withdrawer) external view returns (uint256[] memory) {
        return _depositsByWithdrawalAddress[withdrawer];
    }

    function getTotalTokenBalance(address token) external view returns (uint256) {
        return IERC20(token).balanceOf(address(this));
    }

    function getDepositDetails(uint256 id)
        external
        view
        returns (
            address tokenAddress,
            address withdrawalAddress,
            uint256 tokenAmount,
            uint256 unlockTime,
            bool withdrawn,
            uint256 tokenId,
            bool isNFT,
            uint256 migratedLockDepositId,
            bool isNFTMinted
        )
    {
        Items memory item = lockedToken[id];
        return (
            item.tokenAddress, item.withdrawalAddress, item.tokenAmount, item.unlockTime, item.withdrawn, 0, false, 0, false
        );
    }
}

interface IPositionManager {
    struct Position {
        uint96 nonce;
        address operator;
        address token0;
        address token1;
        uint24 fee;
        int24 tickLower;
        int24 tickUpper;
        uint128 liquidity;
        uint256 feeGrowthInside0LastX128;
        uint256 feeGrowthInside1LastX128;
        uint128 tokensOwed0;
        uint128 tokensOwed1;
    }

    function factory() external view returns (address);
    function positions(uint256 id) external view returns (Position memory);
    function transferFrom(address from, address to, uint256 id) external;
}

interface IPoolFactory {
    function getPool(address a, address b, uint24 fee) external view returns (address);
}

/// What UNCX's locker of Uniswap V3 positions answers, in the shape of the contract at
/// 0xFD235968e65B0990584585763f837A5b5330e6DE (verified there as UNCX_LiquidityLocker_UniV3; functions, the order of the
/// record and the event as in its published ABI). Fees, the conversion to the full range, collecting and relocking are
/// left out.
contract UncxPositionLocker {
    struct LockParams {
        IPositionManager nftPositionManager;
        uint256 nft_id;
        address dustRecipient;
        address owner;
        address additionalCollector;
        address collectAddress;
        uint256 unlockDate;
        uint16 countryCode;
        string feeName;
        bytes[] r;
    }

    struct Lock {
        uint256 lock_id;
        IPositionManager nftPositionManager;
        address pool;
        uint256 nft_id;
        address owner;
        address pendingOwner;
        address additionalCollector;
        address collectAddress;
        uint256 unlockDate;
        uint16 countryCode;
        uint256 ucf;
    }

    uint256 public constant ETERNAL_LOCK = type(uint256).max;
    Lock[] private _locks;

    event onLock(
        uint256 lock_id,
        address nftPositionManager,
        uint256 nft_id,
        address owner,
        address additionalCollector,
        address collectAddress,
        uint256 unlockDate,
        uint16 countryCode,
        uint256 collectFee,
        address poolAddress,
        IPositionManager.Position position
    );
    event onWithdraw(uint256 lock_id, address owner, address receiver);

    function lock(LockParams calldata params) external payable returns (uint256 id) {
        require(params.unlockDate > block.timestamp, "DATE PASSED");
        id = _locks.length;
        IPositionManager.Position memory position = params.nftPositionManager.positions(params.nft_id);
        address pool = IPoolFactory(params.nftPositionManager.factory()).getPool(
            position.token0, position.token1, position.fee
        );
        Lock storage made = _locks.push();
        made.lock_id = id;
        made.nftPositionManager = params.nftPositionManager;
        made.pool = pool;
        made.nft_id = params.nft_id;
        made.owner = params.owner;
        made.additionalCollector = params.additionalCollector;
        made.collectAddress = params.collectAddress;
        made.unlockDate = params.unlockDate;
        made.countryCode = params.countryCode;
        params.nftPositionManager.transferFrom(msg.sender, address(this), params.nft_id);
        _tell(made, position);
    }

    function _tell(Lock storage made, IPositionManager.Position memory position) private {
        emit onLock(
            made.lock_id,
            address(made.nftPositionManager),
            made.nft_id,
            made.owner,
            made.additionalCollector,
            made.collectAddress,
            made.unlockDate,
            made.countryCode,
            made.ucf,
            made.pool,
            position
        );
    }

    function withdraw(uint256 id, address receiver) external {
        Lock memory one = _locks[id];
        require(one.owner == msg.sender, "OWNER");
        require(one.unlockDate != ETERNAL_LOCK && block.timestamp > one.unlockDate, "NOT YET");
        delete _locks[id];
        one.nftPositionManager.transferFrom(address(this), receiver, one.nft_id);
        emit onWithdraw(id, msg.sender, receiver);
    }

    function getNumLocks() external view returns (uint256) {
        return _locks.length;
    }

    function getLock(uint256 id) external view returns (Lock memory) {
        return _locks[id];
    }
}

/// Answers as a Uniswap V2 pair of the factory that it names, which never made it.
contract FakePair {
    address public immutable factory;
    address public immutable token0;
    address public immutable token1;
    uint256 public constant totalSupply = 1_000_000e18;

    event Sync(uint112 reserve0, uint112 reserve1);

    constructor(address factory_, address a, address b) {
        factory = factory_;
        (token0, token1) = a < b ? (a, b) : (b, a);
        emit Sync(1_000_000e18, 1_000_000e18);
    }

    function getReserves() external view returns (uint112, uint112, uint32) {
        return (1_000_000e18, 1_000_000e18, uint32(block.timestamp));
    }

    function balanceOf(address holder) external pure returns (uint256) {
        return holder == 0x000000000000000000000000000000000000dEaD ? totalSupply : 0;
    }
}

/// Names a pool of its own choice as its pair.
contract MispairedToken is ERC20 {
    address public immutable uniswapV2Pair;

    constructor(string memory name_, string memory symbol_, uint256 supply, address pair) ERC20(name_, symbol_) {
        uniswapV2Pair = pair;
        _mint(msg.sender, supply);
    }
}
